import CamoTypes

/// Who is watching a producer: which sessions there are, and which links each has.
package struct ViewerTable: Sendable {
    /// What the owner calls a link; unique in its process.
    package typealias LinkID = UInt64

    /// A session: the same key and the same 128 bits.
    package struct Viewer: Hashable, Sendable {
        package var device: DeviceID
        package var session: SessionID

        package init(device: DeviceID, session: SessionID) {
            self.device = device
            self.session = session
        }
    }

    package enum Admission: Hashable, Sendable {
        /// One more viewer. `evicted` waited for a link and made room: forget them.
        case newViewer(evicted: [Viewer])
        /// The session is known and goes on on this link. `from`: its links until now, to be left with
        /// `goodbye(moved)` at a keyframe; none when it had lost its link.
        case takeover(from: [LinkID])
        /// No room: `goodbye(full)`.
        case full
    }

    private struct Entry {
        var viewer: Viewer
        /// The newest last.
        var links: [LinkID]
        /// Without a link since then.
        var orphanedAt: MonotonicTime?
    }

    /// The longest-connected first.
    private var entries: [Entry] = []

    package init() {}

    /// The longest-connected first; also those that wait for a new link.
    package var viewers: [Viewer] { entries.map(\.viewer) }

    package func isKnown(_ viewer: Viewer) -> Bool { entries.contains { $0.viewer == viewer } }

    package func links(of viewer: Viewer) -> [LinkID] { entries.first { $0.viewer == viewer }?.links ?? [] }

    /// What ``admit(_:link:at:)`` would say, so that nobody is asked in vain.
    package func admission(of viewer: Viewer) -> Admission {
        if let entry = entries.first(where: { $0.viewer == viewer }) { return .takeover(from: entry.links) }
        var evicted: [Viewer] = []
        let ofDevice = entries.filter { $0.viewer.device == viewer.device }
        if ofDevice.count >= Limits.viewerCountPerDevice {
            // A program that was started anew comes with a new session: the one it lost makes room.
            guard let orphan = Self.oldestOrphan(in: ofDevice) else { return .full }
            evicted.append(orphan)
        }
        if entries.count - evicted.count >= Limits.viewerCount {
            guard let orphan = Self.oldestOrphan(in: entries) else { return .full }
            evicted.append(orphan)
        }
        return .newViewer(evicted: evicted)
    }

    /// Gives `link` to the session, if there is room.
    package mutating func admit(_ viewer: Viewer, link: LinkID) -> Admission {
        let admission = admission(of: viewer)
        switch admission {
        case .newViewer(let evicted):
            entries.removeAll { evicted.contains($0.viewer) }
            entries.append(Entry(viewer: viewer, links: [link], orphanedAt: nil))
        case .takeover:
            change(viewer) {
                $0.links.append(link)
                $0.orphanedAt = nil
            }
        case .full: break
        }
        return admission
    }

    /// The link is gone. Its session stays for ``Limits/sessionLinger``, or for as long as it has another link.
    package mutating func linkClosed(_ link: LinkID, at now: MonotonicTime) {
        for index in entries.indices where entries[index].links.contains(link) {
            entries[index].links.removeAll { $0 == link }
            if entries[index].links.isEmpty { entries[index].orphanedAt = now }
        }
    }

    /// The studio said goodbye for good: no lingering. Its links: close them.
    package mutating func remove(_ viewer: Viewer) -> [LinkID] {
        defer { entries.removeAll { $0.viewer == viewer } }
        return links(of: viewer)
    }

    /// The device is no longer paired: all its sessions end. Their links: say `goodbye(unpaired)` and close them.
    package mutating func remove(device: DeviceID) -> [LinkID] {
        defer { entries.removeAll { $0.viewer.device == device } }
        return entries.filter { $0.viewer.device == device }.flatMap(\.links)
    }

    /// Sessions whose time without a link is over, removed from the table.
    package mutating func expire(now: MonotonicTime) -> [Viewer] {
        let expired = entries.filter { entry in entry.orphanedAt.map { now >= $0 + Limits.sessionLinger } ?? false }
            .map(\.viewer)
        entries.removeAll { expired.contains($0.viewer) }
        return expired
    }

    /// When ``expire(now:)`` has something to do; nil: never.
    package var deadline: MonotonicTime? {
        entries.compactMap(\.orphanedAt).min().map { $0 + Limits.sessionLinger }
    }

    private mutating func change(_ viewer: Viewer, _ body: (inout Entry) -> Void) {
        if let index = entries.firstIndex(where: { $0.viewer == viewer }) { body(&entries[index]) }
    }

    private static func oldestOrphan(in entries: [Entry]) -> Viewer? {
        entries.compactMap { entry in entry.orphanedAt.map { (entry.viewer, $0) } }.min { $0.1 < $1.1 }?.0
    }
}
