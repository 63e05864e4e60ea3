import CamoTypes

/// What has become of the sound of one loudspeaker.
package struct PlaybackStatistics: Hashable, Sendable {
    /// Samples per channel that were sound.
    package var samples = 0
    /// Samples of silence that were put in because there was no sound to play.
    package var silence = 0
    /// How often sound ran out; only what followed sound is counted, not each piece of a long silence.
    package var underflows = 0
    /// How often the device itself ran out, because this process was held up (EPIPE).
    package var underruns = 0
    package var suspends = 0
    /// How often the device was lost.
    package var losses = 0
}

/// What a loudspeaker tells while it plays.
package enum PlaybackEvent: Sendable {
    /// The device has gone. It is looked for each second.
    case lost(DeviceError)
    /// It is back, or another one in its place.
    case returned(AudioFormat)
}
