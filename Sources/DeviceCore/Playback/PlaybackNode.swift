import CamoTypes
import Confinement

/// One open playback PCM: the library calls that playback makes, and nothing above them. Tests put a device of their
/// own behind it. Used by one thread at a time.
package protocol PlaybackNode: NegotiableSound {
    /// Samples per channel that can be written ahead, once the format is settled.
    var capacity: Int { get }
    /// How many more samples the device can take now: all of ``capacity`` when nothing is left to play.
    ///
    /// Fails with EPIPE after an underrun, ESTRPIPE after a suspend, ENODEV when the device has gone.
    func room() throws(ALSAFailure) -> Int
    /// Writes whole samples of all channels; returns how many were taken, 0 when there is no room. Fails as ``room()``.
    func write(_ bytes: UnsafeRawBufferPointer) throws(ALSAFailure) -> Int
    /// Lets the device play on for so long, or until the wake-up is signalled: true.
    func pause(_ wake: WakeUp, atMost limit: Microseconds) -> Bool
}

extension PlaybackNode {
    package var direction: SoundDirection { .playback }
    package func pause(_ wake: WakeUp, atMost limit: Microseconds) -> Bool { wake.wait(atMost: limit) }
}

/// The machine's loudspeakers. Tests put a machine of their own behind it.
package protocol PlaybackNodes: Sendable {
    func openPlayback(_ name: String) throws(DeviceError) -> any PlaybackNode
}
