/// Which definition each viewer of several is sent: what it asked for, or less where its link cannot take even half the
/// rate of what it would share with others.
///
/// A link that nobody shares the encode with needs no other definition: its encode follows it (``PictureEconomy``).
///
/// A value: what each link can take in, a move out.
struct LinkPlacement: Sendable {
    /// As long as this under half the rate is no hiccup.
    static let patience = Microseconds.seconds(Int64(2))
    /// As long as this with room before a step is taken back; doubled each time it was taken back in vain.
    static let caution = Microseconds.seconds(Int64(10))
    private static let mostCaution = Microseconds.seconds(Int64(160))
    /// A fall so soon after a climb says that the climb was in vain.
    private static let probation = Microseconds.seconds(Int64(30))

    enum Move: Hashable, Sendable { case down, up }

    private struct Link {
        /// How many definitions below what was asked for.
        var steps = 0
        var lowSince: MonotonicTime?
        var roomSince: MonotonicTime?
        var caution = LinkPlacement.caution
        var climbed: MonotonicTime?
    }

    private var links: [UInt64: Link] = [:]

    /// - Parameters:
    ///   - asked: What the viewer asked for, or would be sent by default.
    ///   - offered: Smallest first.
    func definition(for viewer: UInt64, asked: Definition, of offered: [Definition]) -> Definition {
        guard let top = offered.firstIndex(of: asked) else { return asked }
        return offered[max(0, top - (links[viewer]?.steps ?? 0))]
    }

    /// It is gone.
    mutating func forget(_ viewer: UInt64) { links[viewer] = nil }

    /// Looked at as often as the rate is.
    ///
    /// - Parameters:
    ///   - wanted: What the viewer's link can take, in bits per second.
    ///   - nominal: What the encode that it watches would send where there is room.
    ///   - isShared: Others watch that encode too.
    ///   - canGoDown: There is a definition below.
    mutating func update(
        _ viewer: UInt64, wanted: Int, nominal: Int, isShared: Bool, canGoDown: Bool, at now: MonotonicTime
    ) -> Move? {
        var link = links[viewer] ?? Link()
        defer { links[viewer] = link }
        let isLow = isShared && canGoDown && wanted < nominal / 2
        let hasRoom = link.steps > 0 && wanted >= nominal
        link.lowSince = isLow ? link.lowSince ?? now : nil
        link.roomSince = hasRoom ? link.roomSince ?? now : nil
        if let since = link.lowSince, now - since >= Self.patience {
            let wasInVain = link.climbed.map { now - $0 < Self.probation } ?? false
            link.caution = wasInVain ? min(Self.mostCaution, Microseconds(link.caution.count * 2)) : Self.caution
            link.steps += 1
            (link.lowSince, link.climbed) = (nil, nil)
            return .down
        }
        if let since = link.roomSince, now - since >= link.caution {
            link.steps -= 1
            (link.roomSince, link.climbed) = (nil, now)
            return .up
        }
        return nil
    }
}
