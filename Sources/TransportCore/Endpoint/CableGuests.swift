internal import CamoTypes

/// Studios that came over a cable and weren't let in: what is to be done about them, once for each time that the cable
/// is plugged in.
///
/// A link is for one purpose, so who turns out to be a stranger on one is asked about on the next.
struct CableGuests {
    /// What the next link of a cable is for.
    enum Purpose: Hashable {
        case session
        case pairing(DeviceID)
    }

    private struct Cable {
        var next = Purpose.session
        /// Those who have had their turn, and how often the link for it broke.
        var seen: [DeviceID: Int] = [:]
    }

    /// A cable that is loose costs a question nothing; a studio that breaks its links doesn't get to ask for ever.
    private static let mostBroken = 3

    private var cables: [String: Cable] = [:]

    /// A link has begun on `cable`.
    mutating func takePurpose(on cable: String) -> Purpose {
        defer { cables[cable]?.next = .session }
        return cables[cable]?.next ?? .session
    }

    /// `studio` couldn't have a session. True when that is news on this cable.
    ///
    /// - Parameter mayPair: Whether the next link is to be used to pair with it.
    mutating func turnedAway(_ studio: DeviceID, on cable: String, mayPair: Bool) -> Bool {
        guard cables[cable]?.seen[studio] == nil else { return false }
        cables[cable, default: Cable()].seen[studio] = 0
        if mayPair { cables[cable]?.next = .pairing(studio) }
        return true
    }

    /// The link broke before anything was decided: the next one is for the same.
    mutating func linkBroke(_ studio: DeviceID, on cable: String) {
        guard let count = cables[cable]?.seen[studio], count < Self.mostBroken else { return }
        cables[cable]?.seen[studio] = count + 1
        cables[cable]?.next = .pairing(studio)
    }

    /// Should it ever be turned away again, that is news.
    mutating func paired(_ studio: DeviceID, on cable: String) { cables[cable]?.seen[studio] = nil }

    mutating func cableIsOut(_ cable: String) { cables[cable] = nil }
}
