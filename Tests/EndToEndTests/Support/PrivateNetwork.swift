import Foundation
import Testing

/// One host: a network namespace and a mount namespace with its own `/run`, in which a system bus and an Avahi daemon
/// run that know nothing of this machine's. Needs root.
///
/// The namespaces have no name and live as long as a process in them. The first is a shell that waits for the end of
/// its input, which this process holds: whatever ends this process, the shell sees it, kills what else runs on its
/// network, and goes.
final class PrivateNetwork: Sendable {
    struct Services: OptionSet, Sendable {
        let rawValue: Int
        static let bus = Services(rawValue: 1)
        static let avahi = Services(rawValue: 2)
        static let all: Services = [.bus, .avahi]
        static let none: Services = []
    }

    let hostName: String
    private let environment: [String: String]
    private let holder: ChildProcess

    init(_ hostName: String, environment: [String: String]) throws {
        self.hostName = hostName
        self.environment = environment
        holder = try ChildProcess(
            "unshare", ["--net", "--mount", "--", "/bin/sh", "-c", Self.holderScript, "sh", hostName],
            environment: environment, input: .written)
    }

    private static let holderScript = """
        set -e
        mount -t tmpfs tmpfs /run
        mount -t sysfs sysfs /sys
        mkdir -p /run/dbus /run/avahi-daemon
        printf '[server]\\nhost-name=%s\\n[publish]\\npublish-workstation=no\\n' "$1" >/run/avahi.conf
        ip link set lo up
        echo ready
        read end || true
        set +e
        # -lname takes a pattern, in which brackets mean something.
        net=$(readlink /proc/self/ns/net | sed 's/[][]/\\\\&/g')
        find /proc/[0-9]*/ns/net -maxdepth 0 -lname "$net" 2>/dev/null | cut -d/ -f3 |
            while read pid; do [ "$pid" = $$ ] || kill -9 "$pid" 2>/dev/null; done
        """

    /// The way in for a process: nsenter(1) executes it, so that the process keeps its number. All but network and
    /// mounts is this machine's: files, processes, time.
    var entry: [String] {
        let nsenter = (try? BuiltProducts.path(of: "nsenter")) ?? "nsenter"
        return [
            nsenter, "--target=\(holder.identifier)", "--net", "--mount",
            "--wd=\(FileManager.default.currentDirectoryPath)", "--",
        ]
    }

    /// For `ip … netns`.
    var identifier: pid_t { holder.identifier }

    func open() async throws {
        _ = try await holder.line(within: .seconds(30)) { $0 == "ready" }
    }

    /// Kills whatever runs here, the holder last.
    func close() async {
        let network = Self.network(of: "\(holder.identifier)")
        for _ in 0..<100 {
            let others = Self.processes(on: network).filter { $0 != holder.identifier }
            if others.isEmpty { break }
            for process in others { _ = kill(process, SIGKILL) }
            try? await Task.sleep(for: .milliseconds(10))
        }
        await holder.kill()
    }

    /// `net:[4026532590]`; nil where there is no such process.
    static func network(of process: String) -> String? {
        try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/\(process)/ns/net")
    }

    /// The processes on a network that is not this process' own.
    static func processes(on network: String?) -> [pid_t] {
        guard let network, network != Self.network(of: "self") else { return [] }
        let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return numbers.compactMap { pid_t($0) }.filter { Self.network(of: "\($0)") == network }
    }

    // MARK: Daemons

    func start(_ services: Services) async throws {
        if services.contains(.bus) { try await startBus() }
        if services.contains(.avahi) { try await startAvahi() }
    }

    func startBus() async throws {
        // A bus that was killed leaves its socket behind.
        try await run("/bin/sh", "-c", "rm -f /run/dbus/pid; dbus-daemon --system --fork")
    }

    /// Kills the bus, as its restart by a package upgrade would.
    func stopBus() async throws { try await run("/bin/sh", "-c", "kill $(cat /run/dbus/pid)") }

    func startAvahi() async throws {
        try await run("avahi-daemon", "-D", "-f", "/run/avahi.conf", "--no-drop-root", "--no-rlimits")
    }

    /// An orderly end: what it published is withdrawn.
    func stopAvahi() async throws { try await run("avahi-daemon", "-k") }

    /// A crash.
    func killAvahi() async throws {
        try await signalAvahi("KILL")
        // Its number may stay taken for a while, by a zombie that the next daemon would take for a live one.
        try await run("rm", "/run/avahi-daemon/pid")
    }
    /// A hang, and its end.
    func suspendAvahi() async throws { try await signalAvahi("STOP") }
    func resumeAvahi() async throws { try await signalAvahi("CONT") }

    private func signalAvahi(_ name: String) async throws {
        try await run("/bin/sh", "-c", "kill -\(name) $(cat /run/avahi-daemon/pid)")
    }

    /// Runs something on this host that must succeed.
    @discardableResult
    func run(_ program: String, _ arguments: String...) async throws -> String {
        let process = try ChildProcess(program, arguments, prefix: entry, environment: environment)
        guard try await process.exit(within: .seconds(10)) == .exited(0) else {
            throw RigError("on \(hostName):\n\(process.report)")
        }
        return process.standardOutput.text
    }
}

extension Trait where Self == ConditionTrait {
    /// Tests with namespaces of their own are skipped for ordinary users only: root must be able to have them, and
    /// where it is not, the test fails.
    static var needsRoot: Self {
        .enabled("needs root, for network namespaces: run the tests as root") { geteuid() == 0 }
    }
}
