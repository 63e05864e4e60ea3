internal import CamoTypes
internal import WireProtocol

/// What waits for one link, and which packet goes next: control, then sound, then picture.
///
/// A value without locks or time of its own: whoever owns it guards it. It holds at most one picture, because the
/// encoder is only asked for the next one when the last is out, and a quarter of a second of sound.
struct Outbox {
    /// More control messages than this unsent means a peer that asks and never reads.
    static let controlLimit = 1_024
    /// Sound older than this is dropped, oldest first: the studio fills the gap with silence.
    static let soundLimit = Microseconds.milliseconds(250)

    private var control = Line<UnitSplitter>()
    /// Packets that end a unit half-way.
    private var cuts = Line<[UInt8]>()
    private var sound = Line<(unit: UnitSplitter, queuedAt: MonotonicTime)>()
    private var picture: UnitSplitter?
    private var messageNumber: UInt32 = 0
    /// Bytes handed to the link so far, headers included.
    private(set) var byteCount: UInt64 = 0

    /// From `start(picture:)` until the link asks for another packet after the picture's last one.
    private(set) var isPictureUnderWay = false
    private(set) var pictureStartedAt = MonotonicTime(microseconds: 0)

    /// Adds one control message. False when the peer lets them pile up.
    mutating func append(_ message: ControlMessage, at now: MonotonicTime) -> Bool {
        control.append(UnitSplitter(message: message, number: messageNumber, time: now))
        messageNumber &+= 1
        return control.count <= Self.controlLimit
    }

    /// Adds one unit of sound, and drops what is too old to be of use; returns how many units were dropped.
    mutating func append(sound unit: UnitSplitter, at now: MonotonicTime) -> Int {
        var dropped = 0
        // A unit that was begun has to be finished.
        while let first = sound.first, !first.unit.isStarted, now - first.queuedAt > Self.soundLimit {
            _ = sound.popFirst()
            dropped += 1
        }
        sound.append((unit, now))
        return dropped
    }

    /// Starts a picture. False when the one before is still under way.
    mutating func start(picture unit: UnitSplitter, at now: MonotonicTime) -> Bool {
        guard !isPictureUnderWay else { return false }
        picture = unit
        isPictureUnderWay = true
        pictureStartedAt = now
        return true
    }

    /// Ends the picture under way where it stands; the receiver is told to throw it away.
    mutating func cutPicture() {
        isPictureUnderWay = false
        guard var unit = picture else { return }
        picture = nil
        if unit.isStarted { cuts.append(unit.cut()) }
    }

    /// Forgets the sound that waits: its stream ended.
    mutating func dropSound() {
        while var next = sound.popFirst() {
            if next.unit.isStarted { cuts.append(next.unit.cut()) }
        }
    }

    struct Next {
        /// The packet to hand to TLS; nil when nothing waits.
        var packet: [UInt8]?
        /// True once for each picture: the link has taken its last packet and can take more.
        var pictureIsOut: Bool
    }

    /// The next packet, asked for when the link can take one.
    mutating func next() -> Next {
        let isOut = isPictureUnderWay && picture == nil
        if isOut { isPictureUnderWay = false }
        let packet = nextPacket()
        byteCount &+= UInt64(packet?.count ?? 0)
        return Next(packet: packet, pictureIsOut: isOut)
    }

    private mutating func nextPacket() -> [UInt8]? {
        if let packet = cuts.popFirst() { return packet }
        // A unit that cannot be sent (empty, too long) is finished from the start and gives no packet.
        while control.count > 0 {
            let packet = control.first?.next()
            if control.first?.isFinished == true { _ = control.popFirst() }
            if let packet { return packet }
        }
        while sound.count > 0 {
            let packet = sound.first?.unit.next()
            if sound.first?.unit.isFinished == true { _ = sound.popFirst() }
            if let packet { return packet }
        }
        let packet = picture?.next()
        if picture?.isFinished == true { picture = nil }
        return packet
    }
}

/// A queue in an array: what was taken is given back in one go, so that neither end costs a move each time.
private struct Line<Element> {
    private var elements: [Element?] = []
    private var head = 0

    var count: Int { elements.count - head }

    var first: Element? {
        get { head < elements.count ? elements[head] : nil }
        set { if head < elements.count { elements[head] = newValue } }
    }

    mutating func append(_ element: Element) { elements.append(element) }

    mutating func popFirst() -> Element? {
        guard head < elements.count else { return nil }
        let element = elements[head]
        elements[head] = nil
        head += 1
        if head == elements.count {
            elements.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64, head * 2 > elements.count {
            elements.removeSubrange(..<head)
            head = 0
        }
        return element
    }
}
