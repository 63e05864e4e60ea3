/// What an output is given. Nothing is decoded that no output needs.
package struct OutputNeeds: OptionSet, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// Access units as they come.
    package static let units = OutputNeeds(rawValue: 1)
    /// Decoded pictures.
    package static let pictures = OutputNeeds(rawValue: 2)
    /// Decoded sound.
    package static let sound = OutputNeeds(rawValue: 4)
}

/// One place that pictures and sound go to. All methods return at once: what takes time is done elsewhere.
package protocol StudioOutput: AnyObject, Sendable {
    var needs: OutputNeeds { get }
    /// On the link's queue. True asks for a keyframe.
    func receive(_ unit: PictureUnit) -> Bool
    /// On the decoder's queue, right after the picture came out.
    func show(_ frame: ReceivedFrame)
    /// On the sound decoder's queue.
    func play(_ sound: ReceivedSound)
    /// The studio stops: nothing more will come.
    func studioStopped()
}

extension StudioOutput {
    package func receive(_ unit: PictureUnit) -> Bool { false }
    package func show(_ frame: ReceivedFrame) {}
    package func play(_ sound: ReceivedSound) {}
    package func studioStopped() {}
}

/// A decoded run of sound: 48 kHz, interleaved 32-bit float.
package struct ReceivedSound: Sendable {
    /// Its time is the sender's.
    package var frame: AudioFrame
    /// The time of its first sample, mapped onto this machine's clock.
    package var localTime: MonotonicTime

    package init(frame: AudioFrame, localTime: MonotonicTime) {
        self.frame = frame
        self.localTime = localTime
    }
}
