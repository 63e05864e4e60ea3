package import CamoTypes

/// The limits on connections that have not yet proven to be anybody: how many, how long, how much. A value without I/O:
/// events in, actions out.
///
/// When it is full the oldest goes, so that who holds connections open without a word can't keep others out.
package struct AdmissionGate: Sendable {
    package struct Limits: Sendable {
        package var connections = 64
        package var connectionsPerAddress = 8
        /// From the TCP connection to the end of the TLS handshake.
        package var handshakeTime = Microseconds.seconds(3)
        /// From then to `hello`, or to the proof in pairing.
        package var helloTime = Microseconds.seconds(2)
        /// Everything that may come in before `welcome`.
        package var byteCount = 32 << 10
        package var logInterval = Microseconds.seconds(1)

        package init() {}
    }

    package enum Reason: String, CaseIterable, Sendable {
        case tooMany = "too many connections"
        case tooManyFromOneAddress = "too many connections from one address"
        case handshakeTooSlow = "no TLS handshake in time"
        case helloTooSlow = "no hello in time"
        case tooManyBytes = "too many bytes before the hello"
    }

    package enum Action: Equatable, Sendable {
        /// Close it; it is no longer counted.
        case drop(UInt64, Reason)
        /// Say this to the people who run the program.
        case log(String)
    }

    private struct Entry {
        var id: UInt64
        var address: String
        var deadline: MonotonicTime
        var late: Reason
        var byteCount = 0
    }

    private let limits: Limits
    /// The oldest first.
    private var entries: [Entry] = []
    private var dropped: [Reason: Int] = [:]
    private var addressOfLastDrop = ""
    private var lastLog: MonotonicTime?

    package init(limits: Limits = Limits()) { self.limits = limits }

    package var count: Int { entries.count }

    /// A TCP connection was accepted. `address` is the host without the port.
    package mutating func connectionAccepted(
        _ id: UInt64, from address: String, at now: MonotonicTime
    ) -> [Action] {
        var actions: [Action] = []
        if entries.lazy.filter({ $0.address == address }).count >= limits.connectionsPerAddress,
            let oldest = entries.firstIndex(where: { $0.address == address })
        {
            actions.append(drop(at: oldest, .tooManyFromOneAddress))
        } else if entries.count >= limits.connections, !entries.isEmpty {
            actions.append(drop(at: 0, .tooMany))
        }
        entries.append(
            Entry(id: id, address: address, deadline: now + limits.handshakeTime, late: .handshakeTooSlow))
        return actions + log(at: now)
    }

    /// TLS is done; now it has to say `hello`.
    package mutating func handshakeFinished(_ id: UInt64, at now: MonotonicTime) {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return }
        entries[index].deadline = now + limits.helloTime
        entries[index].late = .helloTooSlow
    }

    /// Bytes came in on a connection that is not admitted yet.
    package mutating func received(_ byteCount: Int, on id: UInt64, at now: MonotonicTime) -> [Action] {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return [] }
        entries[index].byteCount += min(byteCount, limits.byteCount + 1)
        guard entries[index].byteCount > limits.byteCount else { return [] }
        return [drop(at: index, .tooManyBytes)] + log(at: now)
    }

    /// It has proven who it is and said what it wants: no longer counted here, whatever it waits for.
    package mutating func admitted(_ id: UInt64) { remove(id) }

    /// It is gone.
    package mutating func closed(_ id: UInt64) { remove(id) }

    /// Time has passed: see `nextDeadline`.
    package mutating func timePassed(_ now: MonotonicTime) -> [Action] {
        var actions: [Action] = []
        while let late = entries.firstIndex(where: { $0.deadline <= now }) {
            actions.append(drop(at: late, entries[late].late))
        }
        return actions + log(at: now)
    }

    /// When `timePassed` has something to do; nil when nothing waits.
    package var nextDeadline: MonotonicTime? {
        var next = entries.lazy.map(\.deadline).min()
        if !dropped.isEmpty, let lastLog {
            let due = lastLog + limits.logInterval
            next = next.map { min($0, due) } ?? due
        }
        return next
    }

    private mutating func remove(_ id: UInt64) { entries.removeAll { $0.id == id } }

    private mutating func drop(at index: Int, _ reason: Reason) -> Action {
        let entry = entries.remove(at: index)
        dropped[reason, default: 0] += 1
        addressOfLastDrop = entry.address
        return .drop(entry.id, reason)
    }

    /// What was dropped since the last line, unless that was less than an interval ago.
    private mutating func log(at now: MonotonicTime) -> [Action] {
        guard !dropped.isEmpty, lastLog.map({ now - $0 >= limits.logInterval }) ?? true else { return [] }
        let counts = Reason.allCases.compactMap { reason in
            dropped[reason].map { "\($0) (\(reason.rawValue))" }
        }
        defer {
            dropped = [:]
            lastLog = now
        }
        return [.log("connections dropped: \(counts.joined(separator: ", ")); the last from \(addressOfLastDrop)")]
    }
}
