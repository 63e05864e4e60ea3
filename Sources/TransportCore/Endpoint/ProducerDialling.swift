internal import CamoTypes
internal import Confinement
internal import Dispatch

/// Dials a studio that listens, again and again: for producers that cannot be reached themselves.
///
/// One link at a time; another as soon as that one has closed, or has gone silent.
final class ProducerDialling: Sendable {
    enum Event: Sendable {
        case connected(SocketLink)
        case failed(address: String, reason: String)
    }

    private let target: HostPort
    private let onEvent: @Sendable (Event) -> Void
    private let state = Confined("producer dialling", State())

    private struct State {
        var dialer: TCPDialer?
        var backoff = Backoff()
        var linkedAt: DispatchTime?
        var isStopped = false
    }

    init(to target: HostPort, onEvent: @escaping @Sendable (Event) -> Void) {
        self.target = target
        self.onEvent = onEvent
    }

    func start() { state.async { [self] in dial(&$0) } }

    func stop() {
        state.async { state in
            state.isStopped = true
            state.dialer?.cancel()
            state.dialer = nil
        }
    }

    /// At once: the link at hand is silent, or another one has ended.
    func dialAgain() { state.async { [self] in dial(&$0) } }

    func linkDidClose() {
        state.async { [self] state in
            // One that stood for a while was a good one; one that closed at once is tried again less and less often.
            if let linkedAt = state.linkedAt, DispatchTime.now() > linkedAt + .seconds(5) { state.backoff.reset() }
            retry(&state)
        }
    }

    private func dial(_ state: inout State) {
        guard !state.isStopped, state.dialer == nil else { return }
        let dialer = TCPDialer([target], timeLimit: .seconds(5))
        state.dialer = dialer
        dialer.start(on: self.state.queue) { [weak self] result in
            guard let self else { return }
            self.state.assumeIsolated { self.ended(dialer, result, &$0) }
        }
    }

    private func ended(_ dialer: TCPDialer, _ result: Result<SocketLink, TransportError>, _ state: inout State) {
        guard state.dialer === dialer, !state.isStopped else {
            if case .success(let pipe) = result { pipe.close {} }
            return
        }
        state.dialer = nil
        switch result {
        case .success(let pipe):
            state.linkedAt = .now()
            onEvent(.connected(pipe))
        case .failure(let error):
            onEvent(.failed(address: target.description, reason: error.message))
            retry(&state)
        }
    }

    private func retry(_ state: inout State) {
        guard !state.isStopped, state.dialer == nil else { return }
        let wait = state.backoff.take(random: Double.random(in: 0...1))
        self.state.async(after: .microseconds(Int(wait.count))) { [weak self] state in self?.dial(&state) }
    }
}
