import Foundation

/// Everything that one end-to-end test starts, and the end of it all: processes are killed, networks and folders
/// removed, whether the test went well or not.
///
/// ```swift
/// try await Rig.run { rig in
///     let host = try await rig.privateNetwork()
///     let probe = try rig.start("discovery-probe", ["--browse", "_camo._tcp"], on: host)
///     _ = try await probe.event("available", within: .seconds(3))
/// }
/// ```
final class Rig: Sendable {
    private let processes = Watched<[ChildProcess]>([])
    private let networks = Watched<[PrivateNetwork]>([])
    private let directories = Watched<[TemporaryDirectory]>([])
    private let proxies = Watched<[LinkProxy]>([])
    /// HOME of every process: nobody's own state is read or written.
    private let home: TemporaryDirectory

    private init() throws {
        home = try TemporaryDirectory("home")
        directories.change { $0.append(home) }
    }

    /// - Parameter load: How much of the machine the test needs for its deadlines to mean something. Swift Testing
    ///   starts all tests at once; here they wait for one another.
    static func run(_ load: Load = .light, _ test: (Rig) async throws -> Void) async throws {
        await gate.enter(load)
        defer { gate.leave(load) }
        let rig = try Rig()
        let result: Result<Void, any Error>
        do { result = .success(try await test(rig)) } catch { result = .failure(error) }
        if case .failure = result { print(rig.report) }
        // In a task of its own: where a time limit has cancelled the test, nothing here would be waited for.
        await Task { await rig.tearDown() }.value
        try result.get()
    }

    enum Load: Sendable {
        /// Some processes that mostly wait: two for each core at once.
        case light
        /// Encodes or decodes: one for each core at once.
        case heavy
        /// Measures: nothing else runs.
        case alone
    }

    private static let gate = LoadGate()

    // MARK: What a test has

    /// An empty folder.
    func directory(_ label: String = "test") throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory(label)
        directories.change { $0.append(directory) }
        return directory
    }

    /// A host of its own: loopback, system bus and Avahi, and nothing else on its network.
    func privateNetwork(_ hostName: String = "camo-test", services: PrivateNetwork.Services = .all) async throws
        -> PrivateNetwork
    {
        let network = try PrivateNetwork(hostName, environment: environment)
        networks.change { $0.append(network) }
        try await network.open()
        try await network.start(services)
        return network
    }

    /// Two hosts with a cable between them.
    func twoHosts(_ addressing: TwoHosts.Addressing = .both, services: PrivateNetwork.Services = .all) async throws
        -> TwoHosts
    {
        async let first = privateNetwork("camo-a", services: .none)
        async let second = privateNetwork("camo-b", services: .none)
        async let wire = privateNetwork("camo-wire", services: .none)
        let hosts = TwoHosts(a: try await first, b: try await second, wire: try await wire)
        try await hosts.connect(addressing)
        async let startedA: Void = hosts.a.start(services)
        async let startedB: Void = hosts.b.start(services)
        _ = try await (startedA, startedB)
        return hosts
    }

    /// Starts a program: one of ours (`camo-studio`), one of the system's (`ffprobe`), or a path.
    func start(
        _ program: String, _ arguments: [String] = [], on host: PrivateNetwork? = nil,
        environment: [String: String] = [:], input: ChildProcess.Input = .nothing,
        output: ChildProcess.Output = .collected
    ) throws -> ChildProcess {
        let process = try ChildProcess(
            program, arguments, prefix: host?.entry ?? [], environment: self.environment.merging(environment) { $1 },
            input: input, output: output)
        processes.change { $0.append(process) }
        return process
    }

    /// Runs a program to its end, which must be a success, and returns its stdout.
    @discardableResult
    func run(
        _ program: String, _ arguments: [String] = [], on host: PrivateNetwork? = nil,
        within limit: Duration = .seconds(10)
    ) async throws -> String {
        let process = try start(program, arguments, on: host)
        guard try await process.exit(within: limit) == .exited(0) else { throw RigError("failed:\n\(process.report)") }
        return process.standardOutput.text
    }

    /// A TCP proxy to `host:port`, for stalls, cuts and narrow links on loopback.
    func proxy(toPort port: UInt16, host: String = "127.0.0.1") throws -> LinkProxy {
        let proxy = try LinkProxy(host: host, port: port)
        proxies.change { $0.append(proxy) }
        return proxy
    }

    private var environment: [String: String] {
        // Foundation's and libdbus' own variables would lead out of the rig.
        [
            "HOME": home.path, "XDG_STATE_HOME": home.file("state"), "XDG_RUNTIME_DIR": home.file("run"),
            "XDG_CONFIG_HOME": home.file("config"), "DBUS_SYSTEM_BUS_ADDRESS": "", "LANG": "C.UTF-8",
        ]
    }

    // MARK: The end

    /// What each process did, for a test that failed.
    var report: String { processes.read { $0.map(\.report).joined(separator: "\n") } }

    private func tearDown() async {
        for proxy in proxies.read({ $0 }) { proxy.stop() }
        await withTaskGroup(of: Void.self) { group in
            for process in processes.read({ $0 }) { group.addTask { await process.kill() } }
        }
        for network in networks.read({ $0 }) { await network.close() }
        for directory in directories.read({ $0 }) { directory.remove() }
    }
}
