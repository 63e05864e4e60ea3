/// Access units and sound that wait for a muxer. A value; its owner guards it.
struct MediaInbox<Pictures: UnitInbox>: ConsumerInbox {
    enum Item: Sendable {
        case picture(PictureUnit)
        case sound(ReceivedSound)
    }

    private(set) var pictures: Pictures
    private(set) var sound: SoundBacklog

    init(pictures: Pictures, sound: SoundBacklog) { (self.pictures, self.sound) = (pictures, sound) }

    mutating func append(_ unit: PictureUnit) -> UnitAdmission { pictures.append(unit) }
    mutating func append(_ sound: ReceivedSound) { self.sound.append(sound) }

    /// What was captured first, so that a consumer that is behind has no less of the one than of the other.
    mutating func popFirst() -> Item? {
        if let next = sound.first, pictures.first.map({ next.localTime <= $0.received.localTime }) ?? true {
            return sound.popFirst().map { .sound($0) }
        }
        return pictures.popFirst().map { .picture($0) }
    }
}

extension MediaInbox<FileBacklog> {
    /// Sound waits twice as long as pictures: it is small, and where a recording has to have gaps it is to be whole.
    static var file: MediaInbox {
        MediaInbox(
            pictures: FileBacklog(), sound: SoundBacklog(Microseconds(FileBacklog.limit.count * 2), leavesOut: .newest))
    }

    /// Nothing of what waits will be taken any more.
    mutating func giveUp() {
        pictures.giveUp()
        sound.giveUp()
    }
}
