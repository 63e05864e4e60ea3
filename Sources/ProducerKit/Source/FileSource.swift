package import Confinement
internal import DeviceCore
internal import MediaCore

/// A clip, played at its own pace: pictures and sound go out when the clip's clock says so.
///
/// It waits for its first watcher, so that whoever comes gets it from the beginning, and then plays through.
package final class FileSource: MediaSource {
    package let name: String
    package let opensOnDemand = false
    private let path: String
    private let loops: Bool
    private let isSilent: Bool
    private let clock: any MonotonicClock
    private let thread = SourceThread()
    private let playing = Locked<Playing?>(nil)

    private struct Playing: Sendable {
        let player: ClipPlayer
        /// Somebody watches, or it is to end before anybody does.
        let wake: WakeUp

        func end() {
            player.stop()
            wake.signal()
        }
    }

    /// - Parameter isSilent: The clip's own sound is left out: another source gives sound.
    package init(path: String, loops: Bool, isSilent: Bool = false, clock: any MonotonicClock = SystemClock()) {
        (self.path, self.loops, self.isSilent, self.clock) = (path, loops, isSilent, clock)
        name = path.split(separator: "/").last.map(String.init) ?? path
    }

    /// What the clip is, without playing it: for choosing a size.
    ///
    /// - Throws: ``ProducerError`` when it cannot be played: no such file, no pictures in it, a playlist.
    package func probe() throws(ProducerError) -> (size: PixelSize, framesPerSecond: Double, hasSound: Bool) {
        do throws(MediaError) {
            let file = try MediaFile(path: path)
            return (file.size, file.framesPerSecond, file.hasSound)
        } catch {
            throw ProducerError(error)
        }
    }

    package func start(into sink: any MediaSink) throws(ProducerError) {
        // What is wrong with the file is said by `start`, not later by the thread.
        _ = try probe()
        guard let wake = WakeUp(), let player = ClipPlayer(path: path, loops: loops, clock: clock) else {
            throw .noDescriptors(for: name)
        }
        let playing = Playing(player: player, wake: wake)
        try thread.start("file", for: path, end: playing.end) { [self] in run(playing, sink) }
        self.playing.withLock { $0 = playing }
    }

    package func stop() -> Bool {
        playing.withLock { $0 = nil }
        return thread.stop()
    }

    package func watchersDidChange(areWatching: Bool) {
        if areWatching { playing.withLock { $0 }?.wake.signal() }
    }

    private func run(_ playing: Playing, _ sink: any MediaSink) {
        while !playing.wake.wait(atMost: .seconds(Int64(3_600))) {}
        do throws(MediaError) {
            let outcome = try playing.player.play { item in
                switch item {
                case .picture(let frame): sink.deliver(frame)
                case .sound(let sound): if !isSilent { sink.deliver(sound) }
                }
            }
            guard case .ended(let damage) = outcome else { return }
            if let damage { sink.sourceDidReport(damage) }
            sink.sourceDidEnd(nil)
        } catch {
            sink.sourceDidEnd(ProducerError(error))
        }
    }
}

extension ProducerError {
    /// What hindered writing a file.
    init(writing error: MediaError) {
        let code: Code =
            switch error.code {
            case .exists: .exists
            case .noPermission: .noPermission
            case .unsupported, .badData: .badData
            default: .cannotWrite
            }
        self.init(code, error.description)
    }

    init(_ error: MediaError) {
        let code: Code =
            switch error.code {
            case .notFound: .notFound
            case .noPermission: .noPermission
            case .badData, .unsupported: .badData
            default: .unavailable
            }
        self.init(code, error.description)
    }
}
