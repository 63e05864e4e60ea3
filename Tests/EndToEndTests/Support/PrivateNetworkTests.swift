import Foundation
import Testing

/// The networks themselves: tests that lean on them must be able to.
@Suite(.needsRoot) struct PrivateNetworkTests {
    @Test func aHostKnowsItselfAndNothingElse() async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let links = try await rig.run("ip", ["-o", "link"], on: host)
            #expect(links.split(separator: "\n").count == 1)
            #expect(links.contains("lo:"))
            let files = try await rig.run("ls", ["/run"], on: host)
            // mount(8) keeps notes.
            #expect(Set(files.split(separator: "\n")).subtracting(["mount"]) == ["avahi-daemon", "avahi.conf", "dbus"])
        }
    }

    @Test func twoHostsReachEachOther() async throws {
        let server = """
            import socket
            l = socket.create_server(("", 7))
            print("listening", flush=True)
            l.accept()[0].sendall(b"here")
            """
        try await Rig.run { rig in
            let hosts = try await rig.twoHosts()
            let listener = try rig.start("python3", ["-c", server], on: hosts.a)
            _ = try await listener.line(within: .seconds(5))
            let client = "import socket; print(socket.create_connection(('\(TwoHosts.addressA)', 7), 2).recv(4))"
            #expect(try await rig.run("python3", ["-c", client], on: hosts.b) == "b'here'\n")
        }
    }

    @Test func faultsAreFaults() async throws {
        try await Rig.run { rig in
            let hosts = try await rig.twoHosts(services: .none)
            let client = "import socket; socket.create_connection(('\(TwoHosts.addressA)', 7), 0.5)"
            func tryToConnect() async throws -> String {
                let process = try rig.start("python3", ["-c", client], on: hosts.b)
                _ = try await process.exit(within: .seconds(5))
                return process.standardError.lines.last ?? "connected"
            }
            #expect(try await tryToConnect().contains("refused"))
            try await hosts.blackHole()
            #expect(try await tryToConnect().contains("timed out"))
            try await hosts.endBlackHole()
            #expect(try await tryToConnect().contains("refused"))
            try await hosts.cut()
            #expect(try await hosts.a.run("cat", "/sys/class/net/eth0/carrier") == "0\n")
            try await hosts.restore()
            #expect(try await tryToConnect().contains("refused"))
        }
    }

    @Test func nothingIsLeftWhenATestFails() async throws {
        struct Failure: Error {}
        let kept = Watched<(network: String, directory: String, process: ChildProcess?)>(("", "", nil))
        await #expect(throws: Failure.self) {
            try await Rig.run { rig in
                let host = try await rig.privateNetwork()
                let network = try await rig.run("readlink", ["/proc/self/ns/net"], on: host)
                let directory = try rig.directory().path
                let process = try rig.start("sleep", ["1000"], on: host)
                // Not a child of ours, and in another session.
                try await rig.run("setsid", ["-f", "sleep", "1000"], on: host)
                kept.change { $0 = (network.trimmingCharacters(in: .newlines), directory, process) }
                throw Failure()
            }
        }
        let (network, directory, process) = kept.read { $0 }
        #expect(network.hasPrefix("net:["))
        #expect(try await process?.exit(within: .seconds(1)) == .signalled(SIGKILL))
        #expect(!FileManager.default.fileExists(atPath: directory))
        #expect(PrivateNetwork.processes(on: network).isEmpty)
    }

    /// As a time limit does.
    @Test func nothingIsLeftWhenATestIsCancelled() async throws {
        let network = Watched<String?>(nil)
        let test = Task {
            try await Rig.run { rig in
                let host = try await rig.privateNetwork()
                network.change { $0 = PrivateNetwork.network(of: "\(host.identifier)") }
                try await Task.sleep(for: .seconds(100))
            }
        }
        // It may have to wait for its turn on the machine, behind tests that have it for themselves.
        #expect(await network.first(within: .seconds(300)) { $0 } != nil)
        test.cancel()
        await #expect(throws: CancellationError.self) { try await test.value }
        #expect(PrivateNetwork.processes(on: network.read { $0 }).isEmpty)
    }
}
