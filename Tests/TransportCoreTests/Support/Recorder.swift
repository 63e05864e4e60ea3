import CamoTypes
import Confinement
import Dispatch
import Testing

@testable import TransportCore

/// The owner of a link, for tests: sends what it is told, remembers what happened, and can be waited for.
final class Recorder: SecureLinkDelegate {
    struct State: Sendable {
        var peer: DeviceID?
        var received: [UInt8] = []
        /// How many bytes each `didReceive` brought.
        var gulps: [Int] = []
        var toSend: [[UInt8]] = []
        /// How many packets were taken, and how often there was none.
        var takenCount = 0
        var emptyCount = 0
        var closings: [TransportError?] = []
        var keyingMaterial: [UInt8] = []
        /// Calls after the last one should have come.
        var callsAfterClosing = 0
        var isClosed: Bool { !closings.isEmpty }
        fileprivate var waiters: [UInt64: Waiter] = [:]
        fileprivate var nextWaiter: UInt64 = 0
    }

    fileprivate struct Waiter: Sendable {
        var condition: @Sendable (State) -> Bool
        var continuation: CheckedContinuation<Bool, Never>
    }

    private let state = Locked(State())
    /// Does something in the middle of a call.
    private let react: @Sendable (Event, SecureLink) -> Void

    enum Event: Equatable {
        case connected, received, asked, closed
    }

    init(sending packets: [[UInt8]] = [], react: @escaping @Sendable (Event, SecureLink) -> Void = { _, _ in }) {
        self.react = react
        state.withLock { $0.toSend = packets.reversed() }
    }

    var now: State { state.withLock { $0 } }

    func send(_ packets: [[UInt8]]) { change { $0.toSend = packets.reversed() + $0.toSend } }

    func secureLinkDidConnect(_ link: SecureLink, peer: DeviceID) {
        let material = link.exportKeyingMaterial(label: "EXPORTER-test")
        change {
            $0.peer = peer
            $0.keyingMaterial = material
        }
        react(.connected, link)
    }

    func secureLink(_ link: SecureLink, didReceive bytes: UnsafeRawBufferPointer) {
        change {
            $0.received.append(contentsOf: bytes)
            $0.gulps.append(bytes.count)
        }
        react(.received, link)
    }

    func secureLinkNextPacket(_ link: SecureLink) -> [UInt8]? {
        react(.asked, link)
        return change { state in
            guard let packet = state.toSend.popLast() else {
                state.emptyCount += 1
                return nil
            }
            state.takenCount += 1
            return packet
        }
    }

    func secureLinkDidClose(_ link: SecureLink, error: TransportError?) {
        change(isLast: true) { $0.closings.append(error) }
        react(.closed, link)
    }

    @discardableResult
    private func change<Result: Sendable>(isLast: Bool = false, _ body: (inout State) -> Result) -> Result {
        let (result, due): (Result, [CheckedContinuation<Bool, Never>]) = state.withLock { state in
            if !isLast, state.isClosed { state.callsAfterClosing += 1 }
            let result = body(&state)
            guard !state.waiters.isEmpty else { return (result, []) }
            let due = state.waiters.filter { $0.value.condition(state) }
            for number in due.keys { state.waiters[number] = nil }
            return (result, due.values.map(\.continuation))
        }
        for continuation in due { continuation.resume(returning: true) }
        return result
    }

    /// Waits until `condition` holds; what never comes fails the test.
    func wait(
        until condition: @escaping @Sendable (State) -> Bool, sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        let isMet = await withCheckedContinuation { continuation in
            let number: UInt64? = state.withLock { state in
                guard !condition(state) else { return nil }
                state.nextWaiter += 1
                state.waiters[state.nextWaiter] = Waiter(condition: condition, continuation: continuation)
                return state.nextWaiter
            }
            guard let number else { return continuation.resume(returning: true) }
            DispatchQueue.global().asyncAfter(deadline: .now() + 30) { [weak self] in
                let waiter = self?.state.withLock { $0.waiters.removeValue(forKey: number) }
                waiter?.continuation.resume(returning: false)
            }
        }
        if !isMet {
            let now = now
            Issue.record(
                """
                never came; received \(now.received.count), taken \(now.takenCount), empty \(now.emptyCount), \
                closings \(now.closings)
                """, sourceLocation: sourceLocation)
        }
    }
}
