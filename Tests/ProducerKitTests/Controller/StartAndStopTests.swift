import CamoTypes
import Dispatch
import Foundation
import Testing

@testable import ProducerKit

@Suite struct StartAndStopTests {
    /// What the process has, by /proc.
    private struct Holdings: Sendable {
        let threads: Int
        let sockets: Int
        let anonymousKilobytes: Int

        init() {
            let files = FileManager.default
            threads = (try? files.contentsOfDirectory(atPath: "/proc/self/task").count) ?? 0
            let descriptors = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
            sockets = descriptors.count { descriptor in
                (try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)"))?
                    .hasPrefix("socket:") == true
            }
            let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
            let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") } ?? ""
            anonymousKilobytes =
                line.split(whereSeparator: { $0 == " " || $0 == "\t" }).compactMap { Int($0) }.first ?? 0
        }
    }

    /// In a process of its own: here other tests make threads and sockets.
    @Test func `making one opens nothing`() async {
        await #expect(processExitsWith: .success) {
            let before = Holdings()
            let controller = ProducerController()
            let after = Holdings()
            #expect(after.threads == before.threads)
            #expect(after.sockets == before.sockets)
            #expect(before.anonymousKilobytes > 0)
            #expect(after.anonymousKilobytes - before.anonymousKilobytes <= 2_048)
            #expect(controller.state == .stopped && controller.port == 0)
        }
    }

    @Test func `start and stop may be called again, and each change is told once`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        rig.controller.stop()
        try rig.controller.start()
        let port = rig.controller.port
        #expect(port != 0)
        try rig.controller.start()
        #expect(rig.controller.port == port)
        #expect(rig.controller.state == .running(.notConnected))
        rig.controller.stop()
        rig.controller.stop()
        #expect(rig.controller.state == .stopped && rig.controller.port == 0)
        try rig.controller.start()
        rig.controller.stop()
        await delegate.log.wait { told in told.count { if case .state = $0 { true } else { false } } == 4 }
        #expect(delegate.states == [.running(.notConnected), .stopped, .running(.notConnected), .stopped])
    }

    @Test func `any thread may start and stop`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                DispatchQueue.concurrentPerform(iterations: 40) { number in
                    if number % 2 == 0 { try? rig.controller.start() } else { rig.controller.stop() }
                }
                rig.controller.stop()
                continuation.resume()
            }
        }
        #expect(rig.controller.state == .stopped)
        try rig.controller.start()
        rig.controller.stop()
        await delegate.log.wait { $0.last == .state(.stopped) }
        // Whoever came first: running and stopped take turns.
        for (index, state) in delegate.states.enumerated() {
            #expect(state == (index % 2 == 0 ? .running(.notConnected) : .stopped))
        }
    }

    @Test func `it may be stopped and started from a delegate's call`() async throws {
        let rounds = Watched(0)
        let delegate = PromptDelegate(onState: { controller, state in
            if case .running = state { return controller.stop() }
            guard
                rounds.change({
                    $0 += 1
                    return $0
                }) < 3
            else { return }
            do { try controller.start() } catch { Issue.record(error) }
        })
        let rig = try ControllerRig(delegate)
        try rig.controller.start()
        await rounds.wait { $0 == 3 }
        #expect(rig.controller.state == .stopped)
        #expect(delegate.states.count == 6)
    }

    @Test func `it may be stopped while it asks for consent`() async throws {
        let delegate = PromptDelegate(answer: { controller in
            controller.stop()
            return true
        })
        let rig = try ControllerRig(delegate)
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        try rig.controller.start()
        studio.dial(rig.controller.port)
        await delegate.log.wait { $0.contains(.state(.stopped)) }
        #expect(rig.controller.connections.isEmpty)
        #expect(delegate.states == [.running(.notConnected), .stopped])
        #expect(delegate.connections.isEmpty)
    }

    @Test func `with a studio that watches it stops at once`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        try rig.controller.start()
        let feeding = try rig.feed()
        await rig.connect(studio)
        await studio.seen.wait { $0.pictures.count > 3 }
        feeding.cancel()
        let begin = ContinuousClock.now
        rig.controller.stop()
        // It promises a second; a machine that is busy with other tests gets more.
        #expect(ContinuousClock.now - begin < .seconds(10))
        #expect(rig.controller.state == .stopped && rig.controller.connections.isEmpty)
        await studio.seen.wait { !$0.isConnected }
        await delegate.log.wait { $0.contains(.state(.stopped)) }
        #expect(delegate.connections.last == [])
    }

    @Test func `a wrong configuration is told by start, and nothing stays open`() throws {
        let folder = try TemporaryFolder()
        var configuration = ProducerConfiguration()
        configuration.stateDirectory = folder.path
        configuration.framesPerSecond = 0
        let controller = ProducerController(configuration: configuration)
        let error = #expect(throws: ProducerError.self) { try controller.start() }
        #expect(error?.code == .invalidArgument)
        #expect(controller.state == .stopped && controller.port == 0)
    }

    @Test func `a source that cannot be opened is told by start, and the port is free again`() throws {
        let bad = FakeSource(opensOnDemand: false, failure: ProducerError(.notFound, "no such clip"))
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate, sources: [bad])
        #expect(throws: ProducerError(.notFound, "no such clip")) { try rig.controller.start() }
        #expect(rig.controller.state == .stopped && rig.controller.port == 0)
    }

    @Test func `one that is let go while it runs closes its port`() async throws {
        let folder = try TemporaryFolder()
        var configuration = ProducerConfiguration()
        configuration.stateDirectory = folder.path
        configuration.advertises = false
        var controller: ProducerController? = ProducerController(configuration: configuration)
        try controller?.start()
        configuration.port = try #require(controller?.port)
        controller = nil
        // The same port can be had again.
        let second = ProducerController(configuration: configuration)
        await waitUntil { (try? second.start()) != nil }
        second.stop()
    }
}
