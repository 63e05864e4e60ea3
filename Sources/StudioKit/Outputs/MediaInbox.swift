/// Access units and sound that wait for a muxer. A value; its owner guards it.
struct MediaInbox: ConsumerInbox {
    enum Item: Sendable {
        case picture(PictureUnit)
        case sound(ReceivedSound)
    }

    /// Twenty seconds of packets of 10 ms.
    private static let soundLimit = 2_000

    private(set) var pictures: UnitBacklog
    private var sounds: [ReceivedSound] = []
    private(set) var droppedSounds = 0

    init(_ limits: UnitBacklog.Limits) { pictures = UnitBacklog(limits) }

    mutating func append(_ unit: PictureUnit) -> UnitBacklog.Admission { pictures.append(unit) }

    mutating func append(_ sound: ReceivedSound) {
        if sounds.count == Self.soundLimit {
            sounds.removeFirst(Self.soundLimit / 2)
            droppedSounds += Self.soundLimit / 2
        }
        sounds.append(sound)
    }

    /// What was captured first, so that a consumer that is behind has no less of the one than of the other.
    mutating func popFirst() -> Item? {
        if let sound = sounds.first, pictures.first.map({ sound.localTime <= $0.received.localTime }) ?? true {
            return .sound(sounds.removeFirst())
        }
        return pictures.popFirst().map { .picture($0) }
    }
}
