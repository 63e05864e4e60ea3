/// Shorthand for the calls of `discovery-probe` in these tests.
extension Rig {
    func publisher(
        _ name: String, _ options: [String] = [], on host: PrivateNetwork, environment: [String: String] = [:]
    ) throws -> ChildProcess {
        try start(
            "discovery-probe", ["--publish", name] + options, on: host, environment: environment, input: .written)
    }

    func browser(_ options: [String] = [], on host: PrivateNetwork) throws -> ChildProcess {
        try start("discovery-probe", ["--browse", "_camo._tcp"] + options, on: host, input: .written)
    }
}

extension ChildProcess {
    /// Waits until a service is told whose instance is `instance`, as found or changed.
    func found(
        _ instance: String, within limit: Duration = .seconds(5), from start: Int = 0,
        where match: @Sendable (JSONEvent) -> Bool = { _ in true }
    ) async throws -> JSONEvent {
        try await service(["found", "changed"], instance, within: limit, from: start, where: match)
    }

    /// Waits until a service is gone.
    func lost(_ instance: String, within limit: Duration = .seconds(5), from start: Int = 0) async throws {
        _ = try await service(["lost"], instance, within: limit, from: start) { _ in true }
    }

    private func service(
        _ names: Set<String>, _ instance: String, within limit: Duration, from start: Int,
        where match: @Sendable (JSONEvent) -> Bool
    ) async throws -> JSONEvent {
        let line = try await line(within: limit, from: start) { line in
            guard let event = JSONEvent(line: line) else { return false }
            return names.contains(event.kind) && event.instance.string == instance && match(event)
        }
        guard let event = JSONEvent(line: line) else { throw RigError("not an event: \(line)") }
        return event
    }

    func count(of event: String) -> Int { events().count { $0.kind == event } }
}
