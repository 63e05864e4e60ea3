internal import Confinement
internal import TransportCore

/// What waits to be written to a server, or a disk: as much as covers a short stall. What comes when it is full is left out, up to
/// the next keyframe that finds room; what waits already goes out, since it can be decoded.
///
/// A value.
struct PublishingBacklog: Sendable {
    enum Item: Sendable {
        case picture(AccessUnit)
        case sound(AudioFrame)
    }

    /// Half a second at 30 a second.
    static let mostPictures = 15
    static let mostBytes = 4 << 20
    /// More than what belongs to the pictures: five seconds in packets of 10 ms.
    static let mostSounds = 500

    /// How much may wait.
    struct Limits: Sendable {
        var pictures: Int
        var bytes: Int
        var sounds: Int

        static let server = Limits(pictures: mostPictures, bytes: mostBytes, sounds: mostSounds)
        /// A disk may think for ten seconds.
        static let disk = Limits(pictures: 300, bytes: 64 << 20, sounds: 2_000)
    }

    private let limits: Limits
    private var items: [Item] = []
    private var pictures = 0
    private var sounds = 0
    private var bytes = 0
    private(set) var needsKeyframe = true

    init(_ limits: Limits = .server) { self.limits = limits }

    var hasRoom: Bool { pictures < limits.pictures && bytes < limits.bytes }
    var isEmpty: Bool { items.isEmpty }

    mutating func offer(_ unit: AccessUnit) -> PictureOffer {
        guard hasRoom else {
            needsKeyframe = true
            return .behind
        }
        guard !needsKeyframe || unit.isKeyframe else { return .waitingForKeyframe }
        needsKeyframe = false
        items.append(.picture(unit))
        pictures += 1
        bytes += unit.bytes.count
        return .sent
    }

    mutating func offer(_ sound: AudioFrame) {
        guard sounds < limits.sounds else { return }
        items.append(.sound(sound))
        sounds += 1
    }

    mutating func take() -> Item? {
        guard let item = items.first else { return nil }
        items.removeFirst()
        switch item {
        case .picture(let unit):
            pictures -= 1
            bytes -= unit.bytes.count
        case .sound: sounds -= 1
        }
        return item
    }

    /// Another stream of pictures begins: with a keyframe.
    mutating func pictureBegins() { needsKeyframe = true }

    /// Nothing that waits goes out any more.
    mutating func forget() { self = PublishingBacklog(limits) }
}
