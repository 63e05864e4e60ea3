import CamoTypes
import Confinement

/// The errno of a call of the ALSA library, positive.
package struct ALSAFailure: Error, Hashable, Sendable {
    package let code: Int32

    package init(_ code: Int32) { self.code = code < 0 ? 0 &- code : code }
}

/// Which way sound goes.
package enum SoundDirection: String, Hashable, Sendable {
    case capture
    case playback
}

/// Where a capture stands, at one instant.
package struct SoundPosition: Hashable, Sendable {
    /// The instant, on CLOCK_MONOTONIC; nil when the device gives none.
    package var stamp: MonotonicTime?
    /// Samples per channel between the converter and the next one to be read.
    package var delay: Int

    package init(stamp: MonotonicTime?, delay: Int) {
        self.stamp = stamp
        self.delay = delay
    }
}

/// What capture and playback have in common: one open PCM whose format is still to be agreed on. Used by one thread at
/// a time.
package protocol NegotiableSound: AnyObject, Sendable {
    /// The name it was opened by: `hw:CARD=Loopback,DEV=1`.
    var name: String { get }
    var direction: SoundDirection { get }

    // The steps of a negotiation, in this order. Each narrows what the next can have.

    /// Begins with everything that the device has, interleaved.
    func anything() throws(ALSAFailure)
    func take(_ format: SampleFormat) throws(ALSAFailure)
    /// Takes the number of channels nearest to `wish` and returns it.
    func takeChannels(near wish: Int) throws(ALSAFailure) -> Int
    /// Takes the rate nearest to `wish` and returns it.
    func takeRate(near wish: Int) throws(ALSAFailure) -> Int
    /// Settles it, with periods and a buffer near these lengths. Returns the samples in a period.
    func settle(period: Microseconds, buffer: Microseconds) throws(ALSAFailure) -> Int

    func prepare() throws(ALSAFailure)
    func start() throws(ALSAFailure)
    /// After a suspend; EAGAIN while the hardware is not back yet.
    func resume() throws(ALSAFailure)
    /// Stops at once and closes; nothing may follow.
    func close()
}

/// One open capture PCM: the library calls that capture makes, and nothing above them. Tests put a device of their own
/// behind it. Used by one thread at a time.
package protocol SoundNode: NegotiableSound {
    func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness
    /// Nil where the device cannot say.
    func position() -> SoundPosition?
    /// Reads at most `samples` samples of all channels; returns how many, 0 when there are none yet.
    ///
    /// Fails with EPIPE after an overrun, ESTRPIPE after a suspend, ENODEV when the device has gone.
    func read(into buffer: UnsafeMutableRawBufferPointer, samples: Int) throws(ALSAFailure) -> Int
}

extension SoundNode {
    package var direction: SoundDirection { .capture }
}

/// The machine's sound devices. Tests put a machine of their own behind it.
package protocol SoundNodes: Sendable {
    func open(_ name: String) throws(DeviceError) -> any SoundNode
}
