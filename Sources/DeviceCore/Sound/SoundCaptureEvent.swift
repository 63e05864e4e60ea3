import CamoTypes

/// Why there is a gap in the sound.
package enum SoundInterruption: String, Hashable, Sendable {
    /// This process was held up for longer than the device keeps samples (EPIPE).
    case overrun
    /// The machine slept (ESTRPIPE).
    case suspend
    /// Nothing was reported, but the samples do not fill the time that has passed.
    case clockJump
}

/// What a sound device tells while it captures.
package enum SoundCaptureEvent: Sendable {
    /// Samples are missing; the next frame's time is later by `gap` than the last one's end.
    case interrupted(SoundInterruption, gap: Microseconds)
    /// Capture has ended by itself and the device is closed. Nothing follows.
    case lost(DeviceError)
}

/// What has become of the samples of one capture.
package struct SoundCaptureStatistics: Hashable, Sendable {
    /// Samples per channel that were handed over.
    package var samples = 0
    package var overruns = 0
    package var suspends = 0
    /// Time for which there are no samples, in all.
    package var missing = Microseconds.zero
}
