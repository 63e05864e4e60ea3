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
    private let control = Locked<Control?>(nil)

    /// What the thread waits for beside the time.
    private final class Control: Sendable {
        let stopped: WakeUp
        let watched: WakeUp

        init?() {
            guard let stopped = WakeUp(), let watched = WakeUp() else { return nil }
            (self.stopped, self.watched) = (stopped, watched)
        }

        func end() {
            stopped.signal()
            watched.signal()
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
        guard let control = Control() else { throw .noDescriptors(for: name) }
        try thread.start("file", for: path, end: control.end) { [self] in run(control, sink) }
        self.control.withLock { $0 = control }
    }

    package func stop() -> Bool {
        control.withLock { $0 = nil }
        return thread.stop()
    }

    package func watchersDidChange(areWatching: Bool) {
        if areWatching { control.withLock { $0 }?.watched.signal() }
    }

    private func run(_ control: Control, _ sink: any MediaSink) {
        while !control.watched.wait(atMost: .seconds(Int64(3_600))) {}
        guard !control.stopped.wait(atMost: .zero) else { return }
        do throws(MediaError) {
            let file = try MediaFile(path: path)
            var begin = clock.now
            while try play(file, from: &begin, control, sink), loops { try file.rewind() }
            if !control.stopped.wait(atMost: .zero) { sink.sourceDidEnd(nil) }
        } catch {
            sink.sourceDidEnd(ProducerError(error))
        }
    }

    /// Plays to the end; `begin` is moved there, so that the next round follows without a gap. False when stopped.
    private func play(
        _ file: MediaFile, from begin: inout MonotonicTime, _ control: Control, _ sink: any MediaSink
    ) throws(MediaError) -> Bool {
        let interval = Microseconds.seconds(1 / max(1, file.framesPerSecond))
        var end = begin
        while let item = try file.next() {
            switch item {
            case .picture(var frame):
                let time = begin + ((frame.presentationTime ?? end) - MonotonicTime(microseconds: 0))
                frame.presentationTime = time
                end = max(end, time + interval)
                guard wait(until: time, control) else { return false }
                sink.deliver(frame)
            case .sound(var sound):
                let time = begin + ((sound.presentationTime ?? end) - MonotonicTime(microseconds: 0))
                sound.presentationTime = time
                end = max(end, time + sound.duration)
                // A little early: the file has sound and picture interleaved, and neither may hold up the other.
                guard wait(until: time - .milliseconds(100), control) else { return false }
                if !isSilent { sink.deliver(sound) }
            }
        }
        // The last picture is seen for as long as the others.
        guard wait(until: end, control) else { return false }
        begin = end
        return true
    }

    private func wait(until time: MonotonicTime, _ control: Control) -> Bool {
        let left = time - clock.now
        return !control.stopped.wait(atMost: max(.zero, left))
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
