package import TransportCore

/// An access unit of pictures on its way through the pipeline, with what its stream carries.
package struct PictureUnit: Sendable {
    package var received: ReceivedUnit
    package var format: VideoStreamFormat
    /// Counts the streams of this pipeline: another number, another decoder.
    package var stream: Int
    /// How the camera saw it.
    package var camera: CameraParameters?
    /// Where in a recording it is; nil: it is live.
    var place: PlaybackTimeline.Place?

    package var unit: AccessUnit { received.unit }

    package init(received: ReceivedUnit, format: VideoStreamFormat, stream: Int) {
        self.received = received
        self.format = format
        self.stream = stream
    }
}
