import CamoTypes
import Confinement
import Foundation
import Testing
import TransportCore
import WireProtocol

@testable import StudioKit

/// What a studio asks of recordings, and what it makes of what the producer says: mute by mode, progress, the end.
@Suite struct RecordingControllerTests {
    private let folder: TemporaryFolder
    private let producer: FakeProducer
    private let controller: StudioController

    init() throws {
        folder = try TemporaryFolder()
        producer = try FakeProducer()
        controller = StudioController(
            configuration: StudioConfiguration(name: "Desk", stateDirectory: folder.file("state")))
    }

    private static let recording = Recording(
        id: "0a1b2c3d", startedAtMilliseconds: 1, duration: .seconds(Int64(90)), size: FakeProducer.size, byteCount: 9,
        hasSound: true)

    private func connect() async throws {
        try await producer.pair(with: controller)
        try producer.start()
        try controller.connect(to: .address(producer.address))
        _ = try await controller.waitForCapabilities(atMost: .seconds(10))
    }

    @Test func `recordings are listed as the producer tells them`() async throws {
        producer.recordings.withLock { $0 = [Self.recording] }
        try await connect()
        #expect(try await controller.recordings() == [Self.recording])
        await controller.stop()
    }

    @Test func `each mode has its own mute, told before and after`() async throws {
        try await connect()
        try await controller.setMuted(true, for: .sound, in: .live)
        try await controller.setMuted(true, for: .picture, in: .playback)
        #expect(producer.mutes == [false, true])
        try await controller.play(recording: Self.recording.id, from: .seconds(Int64(3)))
        #expect(controller.playback?.phase == .playing && controller.playback?.duration == .seconds(Int64(90)))
        #expect(producer.mutes == [true, false])
        #expect(producer.asked.withLock { $0.last } == .play(Self.recording.id, from: .seconds(Int64(3))))
        // The present mode is meant where none is named.
        try await controller.setMuted(false, for: .picture)
        #expect(producer.mutes == [false, false])
        try await controller.stopPlayback()
        #expect(await eventually { producer.mutes == [false, true] && controller.playback == nil })
        #expect(controller.isMuted(.sound, in: .live) && !controller.isMuted(.picture, in: .playback))
        await controller.stop()
    }

    @Test func `a definition is refused by name while a recording is played`() async throws {
        try await connect()
        try await controller.play(recording: Self.recording.id)
        let error = await #expect(throws: StudioError.self) { try await controller.setDefinition(.economy) }
        #expect(error?.code == .refused && error?.description.contains("a recording is played") == true)
        try await controller.stopPlayback()
        try await controller.setDefinition(.economy)
        await controller.stop()
    }

    @Test func `what the producer has against it is thrown, and nothing is muted`() async throws {
        try await connect()
        try await controller.setMuted(true, for: .sound, in: .playback)
        producer.recordingAnswer.withLock { $0 = RecordingAnswer(.notFound, "there is no recording x") }
        let error = await #expect(throws: StudioError.self) { try await controller.play(recording: "x") }
        #expect(error?.code == .notFound && producer.mutes == [false, false] && controller.playback == nil)
        await controller.stop()
    }

    @Test func `frames of a recording say where they are, live ones do not`() async throws {
        try await connect()
        var frames = controller.frames.makeAsyncIterator()
        let live = await frames.next()
        #expect(live?.info.progress == nil && live?.info.totalDuration == nil)
        try await controller.play(recording: Self.recording.id, from: .seconds(Int64(3)))
        producer.playPictures(from: .seconds(Int64(3)))
        var played: ReceivedFrame?
        while played?.info.progress == nil, let frame = await frames.next() { played = frame }
        #expect(played?.info.totalDuration == .seconds(Int64(90)))
        #expect((played?.info.progress?.inSeconds).map { (3...13).contains($0) } == true)
        let snapshot = try await controller.snapshot()
        #expect(snapshot.info.progress != nil)
        await controller.stop()
    }
}
