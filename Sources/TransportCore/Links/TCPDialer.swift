package import Dispatch
internal import Glibc

/// Dials one peer at all the addresses it may have, as Happy Eyeballs do (RFC 8305): one attempt each 250 ms or as soon
/// as one fails, IPv6 and IPv4 in turn, and the first that connects wins.
///
/// Unchecked: what is variable is touched only on `queue`; every way in hops onto it.
package final class TCPDialer: @unchecked Sendable {
    private let targets: [HostPort]
    private let timeLimit: DispatchTimeInterval
    private let stagger: DispatchTimeInterval
    private let resolve: @Sendable (HostPort) -> Result<[SocketAddress], TransportError>
    private let queue = DispatchQueue(label: "camo.dial", qos: .userInitiated)

    private var completion: (@Sendable (Result<SocketLink, TransportError>) -> Void)?
    private var isCancelled = false
    private var waiting: [SocketAddress] = []
    private var known: Set<SocketAddress> = []
    private var attempts: [ObjectIdentifier: ConnectAttempt] = [:]
    private var lookupsLeft = 0
    private var lastFamily: Int32?
    private var failures: [TransportError] = []
    /// Counts attempts, so that a timer that was set for an earlier one is known.
    private var round = 0
    private var isStaggering = false

    /// - Parameters:
    ///   - targets: Where the one peer may be, the likeliest first.
    ///   - timeLimit: For all of it, lookups included.
    package convenience init(_ targets: [HostPort], timeLimit: DispatchTimeInterval = .seconds(10)) {
        self.init(targets, timeLimit: timeLimit, stagger: .milliseconds(250), resolve: AddressLookup.addresses)
    }

    init(
        _ targets: [HostPort], timeLimit: DispatchTimeInterval, stagger: DispatchTimeInterval,
        resolve: @escaping @Sendable (HostPort) -> Result<[SocketAddress], TransportError>
    ) {
        self.targets = targets
        self.timeLimit = timeLimit
        self.stagger = stagger
        self.resolve = resolve
    }

    /// Dials. Once; any thread.
    ///
    /// - Parameter completion: Called once, on `callbackQueue`: with a link that is not yet opened, or with what went
    ///   wrong at each address; after `cancel` with the code `cancelled`.
    package func start(
        on callbackQueue: DispatchQueue, _ completion: @escaping @Sendable (Result<SocketLink, TransportError>) -> Void
    ) {
        queue.async { [self] in
            guard !isCancelled else {
                callbackQueue.async { completion(.failure(Self.cancelled)) }
                return
            }
            precondition(self.completion == nil, "a dialer dials once")
            self.completion = { result in callbackQueue.async { completion(result) } }
            queue.asyncAfter(deadline: .now() + timeLimit) { [weak self] in self?.timeIsUp() }
            lookupsLeft = targets.count
            for target in targets { lookUp(target) }
            goOn()
        }
    }

    /// Gives up. Any thread, any time.
    package func cancel() {
        queue.async { [self] in
            isCancelled = true
            finish(.failure(Self.cancelled))
        }
    }

    private static let cancelled = TransportError(.cancelled, "the connection attempt was cancelled")

    private func lookUp(_ target: HostPort) {
        if let address = AddressLookup.numericAddress(of: target) {
            lookupsLeft -= 1
            add([address])
            return
        }
        // The resolver blocks for as long as it likes: on a thread of its own, which a serial queue gets.
        DispatchQueue(label: "camo.resolve").async { [self] in
            let result = resolve(target)
            queue.async { [self] in
                lookupsLeft -= 1
                switch result {
                case .success(let addresses): add(addresses)
                case .failure(let error): failures.append(error)
                }
                goOn()
            }
        }
    }

    private func add(_ addresses: [SocketAddress]) {
        for address in addresses where known.insert(address).inserted { waiting.append(address) }
    }

    /// Starts the next attempt if it is time for one; ends if there is nothing left to wait for.
    private func goOn() {
        guard completion != nil, !isStaggering else { return }
        guard let index = waiting.firstIndex(where: { $0.family != lastFamily }) ?? waiting.indices.first else {
            if attempts.isEmpty, lookupsLeft == 0 { finish(.failure(summary())) }
            return
        }
        let address = waiting.remove(at: index)
        lastFamily = address.family
        let attempt = ConnectAttempt(to: address)
        let id = ObjectIdentifier(attempt)
        attempts[id] = attempt
        beginStagger()
        attempt.start(on: queue) { [self] outcome in
            attempts[id] = nil
            switch outcome {
            case .connected(let link): finish(.success(link))
            case .failed(let error):
                failures.append(error)
                isStaggering = false
                goOn()
            }
        }
    }

    private func beginStagger() {
        round += 1
        let mine = round
        isStaggering = true
        queue.asyncAfter(deadline: .now() + stagger) { [weak self] in
            guard let self, round == mine else { return }
            isStaggering = false
            goOn()
        }
    }

    private func timeIsUp() {
        guard completion != nil else { return }
        let places = targets.map(\.description).joined(separator: ", ")
        finish(
            .failure(
                TransportError(
                    .timedOut,
                    "no answer from \(places). Is it on, and does a firewall let the port through? "
                        + failures.map(\.message).joined(separator: "; "))))
    }

    private func finish(_ result: Result<SocketLink, TransportError>) {
        guard let completion else { return }
        self.completion = nil
        for attempt in attempts.values { attempt.cancel() }
        attempts = [:]
        waiting = []
        completion(result)
    }

    /// What went wrong everywhere. The code is that of the most telling failure.
    private func summary() -> TransportError {
        guard !failures.isEmpty else { return TransportError(.addressInvalid, "there is no address to dial") }
        let telling: [TransportError.Code] = [
            .connectionRefused, .timedOut, .unreachable, .addressInvalid, .nameUnknown,
        ]
        let codes = Set(failures.map(\.code))
        let code = telling.first { codes.contains($0) } ?? failures[0].code
        let advice =
            switch code {
            case .connectionRefused: ". Is it running there, and is that its port?"
            case .timedOut, .unreachable: ". Is it on, and does a firewall let the port through?"
            default: ""
            }
        return TransportError(
            code, "can't connect: " + failures.map(\.message).joined(separator: "; ") + advice,
            systemError: failures.first { $0.code == code }?.systemError)
    }
}
