import CamoTypes
import Confinement
import Dispatch

/// A loudspeaker: one sound device, opened, started once, stopped once. A device that goes is opened again when it is
/// back.
///
/// Sound is asked for and events come on its own thread; what they call must be quick.
package final class SoundPlaybackDevice: Sendable {
    /// What ALSA opens it by: `default`, `hw:1,0`.
    package let name: String
    /// What the device takes, to begin with.
    package let format: AudioFormat

    private struct Opening: Sendable {
        let name: String
        let wish: AudioFormat
        let nodes: any PlaybackNodes

        /// Hardware that has none of the sample formats that are known here is opened through ALSA's converter.
        func open() throws(DeviceError) -> (any PlaybackNode, SoundAgreement) {
            do throws(DeviceError) {
                return try negotiated(name)
            } catch  where error.code == .unsupported && name.hasPrefix("hw:") {
                return try negotiated("plug" + name)
            }
        }

        private func negotiated(_ name: String) throws(DeviceError) -> (any PlaybackNode, SoundAgreement) {
            let node = try nodes.openPlayback(name)
            do throws(DeviceError) {
                // Four times what is written ahead: room for what comes in a bunch.
                return (node, try node.negotiate(wish, buffer: .milliseconds(200)))
            } catch {
                node.close()
                throw error
            }
        }
    }

    private let opening: Opening
    private let first: (node: any PlaybackNode, agreement: SoundAgreement)
    private let life: CaptureLife
    private let clock: any MonotonicClock
    private let stallLimit: Microseconds
    private let retryInterval: Microseconds
    private let counts = Locked(PlaybackStatistics())

    /// Opens the device and agrees on a format; nothing is heard yet. Never waits for a device that is in use.
    ///
    /// - Parameters:
    ///   - name: What ALSA calls it.
    ///   - wish: What is nearest to it is taken.
    ///   - stallLimit: A device that plays nothing for so long is lost.
    ///   - retryInterval: From one look for a lost device to the next.
    /// - Throws: ``DeviceError``, every code but `.stalled`.
    package init(
        _ name: String, wish: AudioFormat = .standard, nodes: any PlaybackNodes = SystemSoundNodes(),
        clock: any MonotonicClock = SystemClock(), stallLimit: Microseconds = .seconds(Int64(5)),
        retryInterval: Microseconds = .seconds(Int64(1))
    ) throws(DeviceError) {
        life = try CaptureLife(of: name)
        opening = Opening(name: name, wish: wish, nodes: nodes)
        first = try opening.open()
        self.name = name
        format = first.agreement.format
        self.clock = clock
        self.stallLimit = stallLimit
        self.retryInterval = retryInterval
    }

    /// Starts the device and its thread; once.
    ///
    /// - Parameters:
    ///   - source: Asked each time something can be written: whole samples in the given format, or nothing for now.
    ///     It is told how long what was written before will go on playing.
    ///   - onEvent: Called on the device's thread.
    /// - Throws: ``DeviceError`` `.failed` when the system has no thread to give.
    package func start(
        source: @escaping @Sendable (_ ahead: Microseconds, _ format: AudioFormat) -> [UInt8],
        onEvent: @escaping @Sendable (PlaybackEvent) -> Void
    ) throws(DeviceError) {
        try life.start("loudspeaker") {
            [first, opening, stopSignal = life.stopSignal, clock, stallLimit, retryInterval, counts] outcome in
            outcome.finish(nil)
            ALSAChatter.caught {
                var (node, agreement) = first
                while true {
                    var loop = PlaybackLoop(
                        node: node, agreement: agreement, stop: stopSignal, clock: clock, stallLimit: stallLimit,
                        statistics: counts, source: source)
                    let error = loop.run()
                    node.close()
                    guard let error else { return }
                    counts.withLock { $0.losses += 1 }
                    onEvent(.lost(error))
                    guard let again = Self.reopened(opening, stopSignal, retryInterval) else { return }
                    (node, agreement) = again
                    onEvent(.returned(agreement.format))
                }
            }
        }
    }

    /// Tells the device's thread that the source has something.
    package func soundHasCome() { life.stopSignal.wake.signal() }

    /// Ends playback: the source is not asked any more once this has returned true. Any thread, any number of times.
    ///
    /// - Returns: False when the driver still holds the thread after `limit`; it is then left to end by itself.
    @discardableResult
    package func stop(within limit: DispatchTimeInterval = .seconds(1)) -> Bool {
        life.stop(within: limit) { first.node.close() }
    }

    /// Any thread.
    package var statistics: PlaybackStatistics { counts.withLock { $0 } }

    /// Tries again and again until the device is back; nil when told to stop.
    private static func reopened(
        _ opening: Opening, _ stop: StopSignal, _ interval: Microseconds
    ) -> (any PlaybackNode, SoundAgreement)? {
        while !stop.isSet {
            pause(interval, stop)
            if stop.isSet { return nil }
            if let again = try? opening.open() { return again }
        }
        return nil
    }

    /// The whole interval: sound that comes meanwhile signals the same wake-up.
    private static func pause(_ interval: Microseconds, _ stop: StopSignal) {
        let end = SystemClock().now + interval
        while !stop.isSet, SystemClock().now < end {
            if stop.wake.wait(atMost: end - SystemClock().now) { stop.wake.reset() }
        }
    }
}
