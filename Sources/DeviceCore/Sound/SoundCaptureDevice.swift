import CamoTypes
import Confinement
import Dispatch

/// One capture from one sound device: opened, started once, stopped once. For another, open it again.
///
/// Frames and events come on the capture's own thread; what they call must be quick. `stop` may be called there too.
package final class SoundCaptureDevice: Sendable {
    package let device: SoundDevice
    /// What the device gives; every frame is in this format.
    package let format: AudioFormat

    private let node: any SoundNode
    private let agreement: SoundAgreement
    private let life: CaptureLife
    private let clock: any MonotonicClock
    private let stallLimit: Microseconds
    private let counts = Locked(SoundCaptureStatistics())

    /// Opens the device and agrees on a format; nothing moves yet. Never waits for a device that is in use.
    ///
    /// - Parameters:
    ///   - wish: What is nearest to it is taken: the converter's own rate and channels, nothing resampled or mixed.
    ///   - stallLimit: A device that gives nothing for so long is lost.
    /// - Throws: ``DeviceError``, every code but `.stalled`.
    package init(
        _ device: SoundDevice, wish: AudioFormat = .standard, nodes: any SoundNodes = SystemSoundNodes(),
        clock: any MonotonicClock = SystemClock(), stallLimit: Microseconds = .seconds(Int64(5))
    ) throws(DeviceError) {
        life = try CaptureLife(of: device.pcmName)
        (node, agreement) = try Self.open(device.pcmName, wish, nodes)
        format = agreement.format
        self.device = device
        self.clock = clock
        self.stallLimit = stallLimit
    }

    /// Hardware that has only packed 24 bit samples, more than 8 channels or channels one after the other is opened
    /// through ALSA's converter.
    private static func open(
        _ name: String, _ wish: AudioFormat, _ nodes: any SoundNodes
    ) throws(DeviceError) -> (any SoundNode, SoundAgreement) {
        do throws(DeviceError) {
            let node = try nodes.open(name)
            return (node, try node.negotiate(wish))
        } catch  where error.code == .unsupported && name.hasPrefix("hw:") {
            let node = try nodes.open("plug" + name)
            return (node, try node.negotiate(wish))
        }
    }

    /// Starts the device and its thread; once.
    ///
    /// - Parameters:
    ///   - onFrame: Called on the capture's thread, about a hundred times a second.
    ///   - onEvent: Called on the capture's thread.
    /// - Throws: ``DeviceError`` `.busy`, `.disconnected`, `.failed`; the capture is then over.
    package func start(
        onFrame: @escaping @Sendable (AudioFrame) -> Void,
        onEvent: @escaping @Sendable (SoundCaptureEvent) -> Void
    ) throws(DeviceError) {
        try life.start("sound capture") {
            [node, agreement, stopSignal = life.stopSignal, clock, stallLimit, counts] outcome in
            ALSAChatter.caught {
                defer { node.close() }
                do throws(ALSAFailure) {
                    try node.prepare()
                    try node.start()
                } catch {
                    return outcome.finish(node.failure(error, "it does not start"))
                }
                outcome.finish(nil)
                var loop = SoundLoop(
                    node: node, agreement: agreement, stop: stopSignal, clock: clock, stallLimit: stallLimit,
                    statistics: counts, onFrame: onFrame, onEvent: onEvent)
                let error = loop.run()
                node.close()
                if let error { onEvent(.lost(error)) }
            }
        }
    }

    /// Ends the capture: no frame follows once it has returned true. Any thread, any number of times.
    ///
    /// - Returns: False when the driver, or a callback, still holds the thread after `limit`, or when called on the
    ///   capture's own thread: the thread is then left to end by itself.
    @discardableResult
    package func stop(within limit: DispatchTimeInterval = .seconds(1)) -> Bool {
        life.stop(within: limit) { node.close() }
    }

    /// What has become of the samples so far. Any thread.
    package var statistics: SoundCaptureStatistics { counts.withLock { $0 } }
}
