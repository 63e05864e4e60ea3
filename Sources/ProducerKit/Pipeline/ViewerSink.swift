internal import TransportCore
internal import WireProtocol

/// What a pipeline needs of a viewer; ``Viewer`` is one, and tests have their own.
protocol ViewerSink: AnyObject, Sendable {
    var id: UInt64 { get }
    /// For people.
    var peerName: String { get }
    var wantsPicture: Bool { get }
    var wantsSound: Bool { get }
    /// Its last picture is out.
    var isReadyForPicture: Bool { get }
    var subscription: Subscription { get }
    /// Its link is a cable, which has room for sound as it is.
    var isOnCable: Bool { get }
    var metrics: ViewerMetrics { get }

    func beginPicture(_ format: VideoStreamFormat)
    func tellCamera(_ parameters: CameraParameters?, since time: MonotonicTime)
    func tell(_ motion: DetectedMotion)
    func tell(_ statistics: Statistics)
    func endPicture()
    func offerPicture(_ unit: AccessUnit, number: UInt32) -> PictureOffer
    func beginSound(_ format: AudioStreamFormat)
    func endSound()
    func offerSound(_ unit: AccessUnit, number: UInt32)
}

extension Viewer: ViewerSink {
    var isOnCable: Bool { peer.transport == .usb }
    var peerName: String { peer.name }
    func tell(_ statistics: Statistics) { send(.statistics(statistics)) }
}
