import Foundation

/// Lets so many tests run at once as the machine has room for, in the order in which they came.
final class LoadGate: Sendable {
    private struct State {
        var free: Int
        var waiting: [(weight: Int, go: CheckedContinuation<Void, Never>)] = []
    }

    private let capacity: Int
    private let state: Watched<State>

    init(cores: Int = ProcessInfo.processInfo.activeProcessorCount) {
        capacity = 2 * max(2, cores)
        state = Watched(State(free: capacity))
    }

    func enter(_ load: Rig.Load) async {
        await withCheckedContinuation { continuation in
            state.change { $0.waiting.append((weight(load), continuation)) }
            letIn()
        }
    }

    func leave(_ load: Rig.Load) {
        state.change { $0.free += weight(load) }
        letIn()
    }

    /// Nobody overtakes: who needs much would wait for ever.
    private func letIn() {
        let entering = state.change { state in
            var entering: [CheckedContinuation<Void, Never>] = []
            while let first = state.waiting.first, first.weight <= state.free {
                state.free -= first.weight
                entering.append(first.go)
                state.waiting.removeFirst()
            }
            return entering
        }
        for continuation in entering { continuation.resume() }
    }

    private func weight(_ load: Rig.Load) -> Int {
        switch load {
        case .light: 1
        case .heavy: 2
        case .alone: capacity
        }
    }
}
