import CamoTypes
import Confinement
import Foundation
import Testing
import WireProtocol

@testable import TransportCore

/// Both ends' engines, over real TLS on TCP.
@Suite struct StreamingTests {
    /// Offers pictures until one is taken.
    private func send(_ number: Int, isKeyframe: Bool, to viewer: Viewer, _ probe: ProducerProbe) async -> PictureOffer
    {
        let unit = AccessUnit.picture(number, isKeyframe: isKeyframe)
        for _ in 0..<500 {
            if viewer.isReadyForPicture { return viewer.offerPicture(unit, number: UInt32(number)) }
            try? await Task.sleep(for: .milliseconds(2))
        }
        return .behind
    }

    @Test func `pictures and sound arrive whole, in order and once`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        let viewer = try await ends.connect()
        #expect(viewer.peer.name == "Test studio" && viewer.peer.id == ends.studioHome.identity.id)
        viewer.beginPicture(.test)
        viewer.beginSound(AudioStreamFormat(codec: .opus))
        for number in 0..<50 {
            #expect(await send(number, isKeyframe: number == 0, to: viewer, ends.producerProbe) == .sent)
            viewer.offerSound(
                AccessUnit(bytes: [1, 2, UInt8(number)], presentationTime: SystemClock().now, isKeyframe: true),
                number: UInt32(number))
        }
        let last = await ends.studioProbe.events.first { event -> Bool? in
            if case .picture(let unit, _) = event, unit.number == 49 { true } else { nil }
        }
        #expect(last == true)
        let pictures = ends.studioProbe.pictures
        #expect(pictures.map(\.number) == (0..<50).map(UInt32.init))
        #expect(pictures.allSatisfy { $0.missedBefore == 0 })
        #expect(pictures.enumerated().allSatisfy { $1.unit.bytes == AccessUnit.picture($0, isKeyframe: true).bytes })
        let sound = ends.studioProbe.events.all.compactMap { event -> UInt32? in
            if case .sound(let unit, _) = event { unit.number } else { nil }
        }
        #expect(sound == (0..<UInt32(sound.count)).map { $0 } && sound.count >= 49)
        #expect(try #require(await ends.studioProbe.isConnected()).peer.name == "Test producer")
    }

    @Test func `without a keyframe nothing goes out, and after a skipped picture neither`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        let viewer = try await ends.connect()
        #expect(viewer.offerPicture(.picture(0, isKeyframe: true), number: 0) == .notWatching)
        viewer.beginPicture(.test)
        #expect(viewer.offerPicture(.picture(1, isKeyframe: false), number: 1) == .waitingForKeyframe)
        // So large that it is under way for long after the next has been offered.
        let large = AccessUnit(
            bytes: [UInt8](repeating: 7, count: 15_000_000), presentationTime: SystemClock().now, isKeyframe: true)
        let next = AccessUnit.picture(3, isKeyframe: false)
        let offers = (viewer.offerPicture(large, number: 2), viewer.offerPicture(next, number: 3))
        #expect(offers == (.sent, .behind))
        let wanted = await ends.producerProbe.events.first { event -> Bool? in
            if case .wantsKeyframe = event { true } else { nil }
        }
        #expect(wanted == true)
        #expect(await send(4, isKeyframe: false, to: viewer, ends.producerProbe) == .waitingForKeyframe)
        #expect(await send(5, isKeyframe: true, to: viewer, ends.producerProbe) == .sent)
        let fifth = await ends.studioProbe.events.first { event -> ReceivedUnit? in
            if case .picture(let unit, _) = event, unit.number == 5 { unit } else { nil }
        }
        #expect(fifth?.missedBefore == 2)
        #expect(viewer.metrics.skippedPictures == 3)
    }

    @Test func `a stranger gets nothing, whichever end does not know the other`() async throws {
        for (producerKnows, studioKnows) in [(false, false), (false, true), (true, false)] {
            let ends = try Ends(paired: false)
            defer { ends.stop() }
            if producerKnows { try ends.producerHome.pair(with: ends.studioHome, as: .studio) }
            if studioKnows { try ends.studioHome.pair(with: ends.producerHome, as: .producer) }
            try ends.producer.start()
            ends.studio.connect(to: .address(HostPort(host: "127.0.0.1", port: ends.producer.port)))
            let refusal = await ends.studioProbe.events.first { event -> String? in
                if case .state(.refused(let reason, _)) = event { reason } else { nil }
            }
            #expect(refusal != nil)
            #expect(ends.producer.viewers.isEmpty)
            #expect(await ends.studioProbe.isConnected(within: 0) == nil)
        }
    }

    @Test func `a device of the wrong role is a stranger`() async throws {
        let ends = try Ends(paired: false)
        defer { ends.stop() }
        try ends.producerHome.pair(with: ends.studioHome, as: .producer)
        try ends.studioHome.pair(with: ends.producerHome, as: .producer)
        try ends.producer.start()
        ends.studio.connect(to: .address(HostPort(host: "127.0.0.1", port: ends.producer.port)))
        let refusal = await ends.studioProbe.events.first { event -> Bool? in
            if case .state(.refused) = event { true } else { nil }
        }
        #expect(refusal == true && ends.producer.viewers.isEmpty)
    }

    @Test func `no consent, no session`() async throws {
        let ends = try Ends(accepts: { _ in false })
        defer { ends.stop() }
        try ends.producer.start()
        ends.studio.connect(to: .address(HostPort(host: "127.0.0.1", port: ends.producer.port)))
        let goodbye = await ends.studioProbe.events.first { event -> Goodbye.Reason? in
            if case .state(.refused(_, let goodbye)) = event { goodbye } else { nil }
        }
        #expect(goodbye == .refused && ends.producer.viewers.isEmpty)
    }

    @Test func `removing a device ends its session, and it does not come back`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        let viewer = try await ends.connect()
        viewer.beginPicture(.test)
        _ = try ends.producerHome.store.remove(ends.studioHome.identity.id)
        let goodbye = await ends.studioProbe.events.first(within: 3) { event -> Goodbye.Reason? in
            if case .state(.refused(_, let goodbye)) = event { goodbye } else { nil }
        }
        #expect(goodbye == .unpaired)
        #expect(
            ends.producer.viewers.isEmpty
                && viewer.offerPicture(.picture(0, isKeyframe: true), number: 0) == .notWatching)
    }

    @Test func `a lost link is made again into the same session, with a keyframe`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        let viewer = try await ends.connect()
        viewer.beginPicture(.test)
        #expect(await send(0, isKeyframe: true, to: viewer, ends.producerProbe) == .sent)
        _ = await ends.studioProbe.events.first { if case .picture = $0 { true } else { nil } }
        viewer.breakLink()
        let resumed = await ends.producerProbe.events.first { event -> Bool? in
            if case .updated(let viewer) = event { viewer.isReadyForPicture ? true : nil } else { nil }
        }
        #expect(resumed == true)
        #expect(ends.producer.viewers.map(\.id) == [viewer.id])
        #expect(await send(1, isKeyframe: false, to: viewer, ends.producerProbe) == .waitingForKeyframe)
        #expect(await send(2, isKeyframe: true, to: viewer, ends.producerProbe) == .sent)
        let second = await ends.studioProbe.events.first { event -> Bool? in
            if case .picture(let unit, _) = event, unit.number == 2 { true } else { nil }
        }
        #expect(second == true)
    }

    @Test func `a producer that opens streams without end loses its link`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        let viewer = try await ends.connect()
        #expect(await ends.studioProbe.isConnected() != nil)
        for number in 0..<UInt16(Limits.streamCount) {
            viewer.send(.streamConfiguration(StreamConfiguration(stream: 101 + 2 * number, content: .metadata)))
        }
        viewer.send(.definitionChanged(DefinitionChanged(definition: .economy, cause: .asked)))
        let isStillThere = await ends.studioProbe.events.first { event -> Bool? in
            if case .message(.definitionChanged) = event { true } else { nil }
        }
        #expect(isStillThere == true)
        viewer.send(.streamConfiguration(StreamConfiguration(stream: 99, content: .metadata)))
        let reason = await ends.studioProbe.events.first { event -> String? in
            if case .state(.waiting(_, let reason, _)) = event { reason } else { nil }
        }
        #expect(reason?.contains("tooManyStreams") == true, "\(reason ?? "nothing")")
    }

    /// Without Avahi there are only the addresses from before. Nobody answers at the first, and at the second somebody
    /// else does.
    @Test func `of several paired producers the one that answers is watched, and that one only`() async throws {
        let (gone, stranger) = (try Installation("camo-producer"), try Installation("camo-producer"))
        let ends = try Ends()
        defer { ends.stop() }
        let strangers = try TCPListener(
            port: 0, queue: DispatchQueue(label: "stranger"), report: { _ in }, onAccept: { pipe, _ in pipe.close {} })
        defer { strangers.close() }
        try ends.producer.start()
        try ends.studioHome.pair(with: gone, as: .producer)
        try ends.studioHome.pair(with: stranger, as: .producer)
        let here = "127.0.0.1"
        try ends.studioHome.store.note(name: "gone", address: HostPort(host: here, port: 1), of: gone.identity.id)
        try ends.studioHome.store.note(
            name: "stranger", address: HostPort(host: here, port: strangers.port), of: stranger.identity.id)
        try ends.studioHome.store.note(
            name: "it", address: HostPort(host: here, port: ends.producer.port), of: ends.producerHome.identity.id)

        let all = [gone, stranger, ends.producerHome].map(\.identity.id)
        ends.studio.connect(to: .devices(Set(all)))
        let connection = await ends.studioProbe.isConnected(within: 20)
        #expect(connection?.peer.id == ends.producerHome.identity.id)
        #expect(ends.studioHome.store.device(for: ends.producerHome.identity.id)?.name == "Test producer")
    }

    /// Wire protocol, section 4: odd ids are the producer's, and a stream keeps its format.
    @Test(arguments: [[6], [5, 5]] as [[UInt16]])
    func `a producer that begins a stream that is not its to begin loses its link`(ids: [UInt16]) async throws {
        let ends = try Ends()
        defer { ends.stop() }
        let viewer = try await ends.connect()
        #expect(await ends.studioProbe.isConnected() != nil)
        for id in ids { viewer.send(.streamConfiguration(StreamConfiguration(stream: id, content: .metadata))) }
        let reason = await ends.studioProbe.events.first { event -> String? in
            if case .state(.waiting(_, let reason, _)) = event { reason } else { nil }
        }
        #expect(reason?.contains("wrongStream") == true, "\(reason ?? "nothing")")
    }

    @Test func `pause, mute and definition reach the producer`() async throws {
        let ends = try Ends(configure: { $0.capabilities = Capabilities(definitions: [.economy, .high]) })
        defer { ends.stop() }
        let viewer = try await ends.connect()
        #expect(await ends.studioProbe.isConnected() != nil)
        let paused = await ends.studio.request { .pause(Pause(request: $0, isPaused: true)) }
        #expect(paused?.code == .ok && viewer.connection.isPaused && !viewer.wantsPicture && !viewer.wantsSound)
        let resumed = await ends.studio.request { .pause(Pause(request: $0, isPaused: false)) }
        #expect(resumed?.code == .ok && viewer.wantsPicture)
        let muted = await ends.studio.request { .mute(Mute(request: $0, kind: .audio, isMuted: true)) }
        #expect(muted?.code == .ok && viewer.wantsPicture && !viewer.wantsSound)
        let chosen = await ends.studio.request { .setDefinition(SetDefinition(request: $0, definition: .economy)) }
        #expect(chosen?.code == .ok && viewer.subscription.definition == .economy)
        let missing = await ends.studio.request { .setDefinition(SetDefinition(request: $0, definition: .ultra)) }
        #expect(missing?.code == .unsupported && viewer.subscription.definition == .economy)
    }

    @Test func `a producer that stops says so, and one that comes back is found again`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        _ = try await ends.connect()
        let port = ends.producer.port
        ends.producer.stop()
        let goodbye = await ends.studioProbe.events.first { event -> Goodbye.Reason? in
            if case .state(.waiting(_, _, let goodbye)) = event { goodbye } else { nil }
        }
        #expect(goodbye == .stopping)
        let probe = ProducerProbe()
        var configuration = ProducerEndpointConfiguration(name: "Again", product: "test 1")
        configuration.advertises = false
        configuration.port = port
        let again = ProducerEndpoint(
            identity: ends.producerHome.identity, store: ends.producerHome.store, configuration: configuration,
            delegate: probe)
        try again.start()
        defer { again.stop() }
        #expect(await probe.viewer() != nil)
    }

    @Test func `a producer reaches a studio that listens`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        ends.studio.connect(to: .listen(port: 0))
        _ = await ends.studioProbe.events.first { if case .notice(.listening) = $0 { true } else { nil } }
        var configuration = ProducerEndpointConfiguration(name: "Dialler", product: "test 1")
        configuration.listens = false
        configuration.dial = HostPort(host: "127.0.0.1", port: ends.studio.port)
        let producer = ProducerEndpoint(
            identity: ends.producerHome.identity, store: ends.producerHome.store, configuration: configuration,
            delegate: ends.producerProbe)
        try producer.start()
        defer { producer.stop() }
        #expect(await ends.producerProbe.viewer() != nil)
        #expect(await ends.studioProbe.isConnected() != nil)
    }

    @Test func `five viewers of one device are one too many`() async throws {
        let ends = try Ends()
        defer { ends.stop() }
        try ends.producer.start()
        let probes = (0..<5).map { _ in StudioProbe() }
        let studios = probes.map { probe in
            StudioEndpoint(
                identity: ends.studioHome.identity, store: ends.studioHome.store, name: "Window", product: "test 1",
                delegate: probe)
        }
        defer { for studio in studios { studio.stop() } }
        for (studio, probe) in zip(studios, probes).prefix(4) {
            studio.connect(to: .address(HostPort(host: "127.0.0.1", port: ends.producer.port)))
            #expect(await probe.isConnected() != nil)
        }
        studios[4].connect(to: .address(HostPort(host: "127.0.0.1", port: ends.producer.port)))
        let goodbye = await probes[4].events.first { event -> Goodbye.Reason? in
            if case .state(.waiting(_, _, let goodbye)) = event { goodbye } else { nil }
        }
        #expect(goodbye == .full && ends.producer.viewers.count == 4)
    }
}
