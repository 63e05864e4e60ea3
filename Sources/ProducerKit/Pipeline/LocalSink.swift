internal import TransportCore
internal import WireProtocol

/// What takes the stream as a studio does, but is a file or a media server: it gets sound as it is, to code for a track
/// without holes, and is told nothing else.
protocol LocalSink: ViewerSink {
    var hasSound: Bool { get }
}

extension LocalSink {
    var wantsSound: Bool { hasSound && wantsPicture }
    var subscription: Subscription { Subscription(audio: hasSound, audioCodecs: [.lpcm]) }
    var isOnCable: Bool { false }

    func tellCamera(_ parameters: CameraParameters?, since time: MonotonicTime) {}
    func tell(_ motion: DetectedMotion) {}
    func tell(_ statistics: Statistics) {}
    func beginSound(_ format: AudioStreamFormat) {}
    func endSound() {}
}
