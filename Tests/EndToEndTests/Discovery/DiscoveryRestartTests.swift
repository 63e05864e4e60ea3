import Foundation
import Testing

/// Discovery while daemons come and go, and its own end in every state.
@Suite(.needsRoot) struct DiscoveryRestartTests {
    /// Advertised again and found again within 10 s, and said once.
    private func expectRecovery(
        _ outage: (PrivateNetwork) async throws -> Void, _ recovery: (PrivateNetwork) async throws -> Void
    ) async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let publisher = try rig.publisher("Porch", on: host)
            let browser = try rig.browser(on: host)
            _ = try await publisher.event("published", within: .seconds(5))
            _ = try await browser.found("Porch")
            let (linesThere, linesHere) = (publisher.lineCount, browser.lineCount)

            try await outage(host)
            for process in [publisher, browser] { _ = try await process.event("unavailable", within: .seconds(5)) }
            try await browser.lost("Porch")

            try await recovery(host)
            _ = try await publisher.event("published", within: .seconds(10), from: linesThere)
            _ = try await browser.found("Porch", within: .seconds(10), from: linesHere)
            for process in [publisher, browser] {
                #expect(process.isRunning)
                #expect(process.count(of: "unavailable") == 1)
                #expect(process.count(of: "available") == 2)
            }
        }
    }

    @Test func theDaemonIsRestarted() async throws {
        try await expectRecovery {
            try await $0.stopAvahi()
        } _: {
            try await $0.startAvahi()
        }
    }

    @Test func theDaemonCrashes() async throws {
        try await expectRecovery {
            try await $0.killAvahi()
        } _: {
            try await $0.startAvahi()
        }
    }

    @Test func theBusIsRestarted() async throws {
        // The daemon goes with its bus, and comes again after it.
        try await expectRecovery {
            try await $0.stopBus()
        } _: { host in
            try await host.startBus()
            try? await host.stopAvahi()
            try await host.startAvahi()
        }
    }

    @Test func bothComeAfterUs() async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork(services: .none)
            let publisher = try rig.publisher("Porch", on: host)
            let browser = try rig.browser(on: host)
            for process in [publisher, browser] {
                let event = try await process.event("unavailable", within: .seconds(3))
                #expect(event.message.string?.contains("avahi-daemon") == true)
                #expect(event.message.string?.contains("\n") == false)
            }
            try await host.startBus()
            try await host.startAvahi()
            #expect(try await publisher.event("published", within: .seconds(10)).name.string == "Porch")
            _ = try await browser.found("Porch", within: .seconds(10))
            for process in [publisher, browser] { #expect(process.count(of: "unavailable") == 1) }
        }
    }

    @Test func theDaemonComesAfterUs() async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork(services: .bus)
            let browser = try rig.browser(on: host)
            let publisher = try rig.publisher("Porch", on: host)
            for process in [publisher, browser] { _ = try await process.event("unavailable", within: .seconds(3)) }
            try await host.startAvahi()
            _ = try await browser.found("Porch", within: .seconds(10))
            for process in [publisher, browser] { #expect(process.count(of: "unavailable") == 1) }
        }
    }

    enum Condition: CaseIterable, Sendable {
        case noBus, noDaemon, running, daemonHangs
    }

    @Test(arguments: Condition.allCases)
    func stopReturnsWithinASecond(_ condition: Condition) async throws {
        try await Rig.run { rig in
            let services: PrivateNetwork.Services =
                switch condition {
                case .noBus: .none
                case .noDaemon: .bus
                case .running, .daemonHangs: .all
                }
            let host = try await rig.privateNetwork(services: services)
            let probe = try rig.publisher("Porch", ["--browse", "_camo._tcp"], on: host)
            switch condition {
            case .noBus, .noDaemon: _ = try await probe.event("unavailable", within: .seconds(3))
            case .running: _ = try await probe.event("published", within: .seconds(5))
            case .daemonHangs:
                _ = try await probe.event("published", within: .seconds(5))
                try await host.suspendAvahi()
                // The next call to the daemon does not return.
                probe.writeLine("rename 1 Garden")
                try await Task.sleep(for: .milliseconds(100))
            }
            probe.writeLine("stop")
            let stopped = try await probe.event("stopped", within: .seconds(5))
            #expect((stopped.seconds.double ?? 99) < 1.3 * Patience.factor)
            #expect(try await probe.exit(within: .seconds(1)) == .exited(0))
            if condition == .daemonHangs { try await host.resumeAvahi() }
        }
    }

    @Test func aHungDaemonHoldsNobodyUp() async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let probe = try rig.publisher("Porch", on: host)
            _ = try await probe.event("published", within: .seconds(5))
            try await host.suspendAvahi()
            // Calls return while the thread of Avahi is stuck, and what they said is done when it is free again.
            let lines = probe.lineCount
            probe.writeLine("rename 1 Garden")
            probe.writeLine("unpublish 1")
            probe.writeLine("publish 1")
            try await host.resumeAvahi()
            let published = try await probe.event("published", within: .seconds(10), from: lines)
            #expect(published.name.string == "Garden")
        }
    }

    @Test(arguments: ["available", "published", "found"])
    func stopFromInsideAnEvent(_ event: String) async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let probe = try rig.publisher("Porch", ["--browse", "_camo._tcp", "--stop-at", event], on: host)
            let stopped = try await probe.event("stopped", within: .seconds(5))
            #expect((stopped.seconds.double ?? 99) < 1 * Patience.factor)
            #expect(try await probe.exit(within: .seconds(1)) == .exited(0))
        }
    }

    @Test(arguments: [PrivateNetwork.Services.all, .bus, .none])
    func nothingIsLeftOfManyRounds(_ services: PrivateNetwork.Services) async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork(services: services)
            let probe = try rig.publisher("Porch", ["--browse", "_camo._tcp", "--rounds", "60"], on: host)
            let rounds = try await probe.event("rounds", within: .seconds(30))
            let descriptors = rounds.descriptors.array.compactMap(\.integer)
            let threads = rounds.threads.array.compactMap(\.integer)
            // Dispatch keeps a descriptor or two and some threads for later.
            #expect(descriptors[1] < descriptors[0] + 10)
            #expect(threads[1] < threads[0] + 20)
        }
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func signalsEndIt(_ signal: Int32) async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork(services: .none)
            let probe = try rig.publisher("Porch", on: host)
            _ = try await probe.event("unavailable", within: .seconds(3))
            probe.signal(signal)
            #expect(try await probe.exit(within: .seconds(5)) == .exited(0))
        }
    }
}
