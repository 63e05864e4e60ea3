import CamoTypes
import Confinement
import DeviceCore
import MediaCore
import Testing
import TransportCore
import WireProtocol

@testable import StudioKit

/// Hears whether this studio speaks.
private final class TalkDelegate: StudioControllerDelegate, Sendable {
    let states = Locked<[TalkState]>([])
    let errors = Locked<[StudioError]>([])

    func studioController(_ controller: StudioController, talkDidChangeTo state: TalkState) {
        states.withLock { $0.append(state) }
    }
    func studioController(_ controller: StudioController, didFailToTalk error: StudioError) {
        errors.withLock { $0.append(error) }
    }
}

/// Keeps what it is given to play.
private final class Ear: StudioOutput {
    let needs: OutputNeeds = .sound
    let heard = Locked<[[UInt8]]>([])
    func play(_ sound: ReceivedSound) { heard.withLock { $0.append(sound.frame.bytes) } }
}

/// Speaking on the producer's loudspeaker, from the studio.
@Suite struct TalkTests {
    private let folder: TemporaryFolder
    private let producer: FakeProducer
    private let controller: StudioController
    private let delegate = TalkDelegate()

    init() throws {
        folder = try TemporaryFolder()
        producer = try FakeProducer()
        controller = StudioController(
            configuration: StudioConfiguration(name: "Desk", stateDirectory: folder.file("state")))
        controller.delegate = delegate
    }

    private func connect() async throws {
        try await producer.pair(with: controller)
        try producer.start()
        try controller.connect(to: .address(producer.address))
        let isConnected = await eventually { [controller] in
            if case .connected = controller.state { true } else { false }
        }
        try #require(isConnected)
    }

    private func stop() async {
        await controller.stop()
        producer.stop()
    }

    /// Ten milliseconds that are not silent.
    private var sound: AudioFrame {
        let bytes = (0..<960).flatMap { index in withUnsafeBytes(of: Float(index % 96) / 192 - 0.25) { Array($0) } }
        return AudioFrame(format: .standard, bytes: bytes)
    }

    private func units() -> [AccessUnit] { producer.talk.withLock { $0.units } }

    private func speaks(_ count: Int) async -> Bool {
        await eventually { [controller, producer, sound] in
            controller.enqueuePCMAudio(sound)
            return producer.talk.withLock { $0.units.count } >= count
        }
    }

    @Test func `what the program hands over is sent from the beginning to the end, as Opus`() async throws {
        try await connect()
        controller.enqueuePCMAudio(sound)
        try await controller.startTalk(.twoWay)
        #expect(controller.talkState == .talking(.twoWay))
        #expect(await speaks(50))
        let decoder = try OpusDecoder(AudioStreamFormat(codec: .opus))
        var loudest: Float = 0
        for unit in units() {
            let bytes = try decoder.decode(unit).bytes
            bytes.withUnsafeBytes { loudest = max(loudest, $0.bindMemory(to: Float.self).max() ?? 0) }
        }
        #expect(loudest > 0.1 && loudest < 0.4)
        await controller.stopTalk()
        #expect(controller.talkState == .off && controller.talkState.mode == nil)
        #expect(producer.talk.withLock { $0.requests } == [true, false])
        await controller.delegateCallsAreDone()
        #expect(delegate.states.withLock { $0 } == [.talking(.twoWay), .off])
        #expect(delegate.errors.withLock { $0 }.isEmpty)
        await stop()
    }

    @Test func `muted, silence is sent`() async throws {
        try await connect()
        try await controller.startTalk(.twoWay)
        controller.isTalkMuted = true
        #expect(controller.isTalkMuted)
        #expect(await speaks(20))
        let decoder = try OpusDecoder(AudioStreamFormat(codec: .opus))
        for unit in units() {
            let bytes = try decoder.decode(unit).bytes
            let loudest = bytes.withUnsafeBytes { $0.bindMemory(to: Float.self).map(\.magnitude).max() ?? 0 }
            #expect(loudest < 0.001)
        }
        await stop()
        #expect(controller.talkState == .off)
    }

    @Test(arguments: [
        (RequestResult.Code.unsupported, StudioError.Code.unsupported), (.busy, .busy), (.refused, .refused),
        (.notFound, .notFound),
    ])
    func `a refusal has the producer's reason, and nothing is sent`(
        code: RequestResult.Code, wanted: StudioError.Code
    ) async throws {
        try await connect()
        producer.answer.withLock { $0 = (code, "so it is") }
        let error = await #expect(throws: StudioError.self) { try await controller.startTalk(.oneWay) }
        #expect(error?.code == wanted && error?.description == "the producer says: so it is")
        controller.enqueuePCMAudio(sound)
        #expect(controller.talkState == .off && units().isEmpty)
        await controller.delegateCallsAreDone()
        #expect(delegate.errors.withLock { $0.map(\.code) } == [wanted])
        producer.answer.withLock { $0 = (.ok, nil) }
        try await controller.startTalk(.oneWay)
        let again = await #expect(throws: StudioError.self) { try await controller.startTalk(.oneWay) }
        #expect(again?.code == .busy)
        await stop()
    }

    @Test func `nobody can be spoken to without a connection`() async throws {
        try controller.start()
        let error = await #expect(throws: StudioError.self) { try await controller.startTalk(.oneWay) }
        #expect(error?.code == .notConnected)
        await controller.stopTalk()
        await controller.stop()
    }

    @Test func `a microphone that is none is said before the producer is asked`() async throws {
        try await connect()
        let error = await #expect(throws: StudioError.self) {
            try await controller.startTalk(.oneWay, from: "nonsense")
        }
        #expect(error?.code == .notFound && error?.description.contains("nonsense") == true)
        #expect(producer.talk.withLock { $0.requests }.isEmpty)
        await stop()
    }

    @Test func `the producer ends it, with the reason`() async throws {
        try await connect()
        try await controller.startTalk(.oneWay)
        #expect(await speaks(3))
        producer.endTalk("the producer is paused")
        let isOver = await eventually { [controller] in controller.talkState == .off }
        #expect(isOver)
        let isTold = await eventually { [delegate] in !delegate.errors.withLock { $0 }.isEmpty }
        #expect(isTold)
        let told = delegate.errors.withLock { $0.first }
        #expect(told?.description == "the producer ended the talk: the producer is paused")
        await stop()
    }

    @Test func `it goes on when the connection is back`() async throws {
        try await connect()
        try await controller.startTalk(.twoWay)
        #expect(await speaks(3))
        let port = producer.port
        producer.stop()
        let waits = await eventually { [controller] in controller.talkState == .waiting(.twoWay) }
        #expect(waits)
        producer.talk.withLock { $0.units = [] }
        try producer.start(port: port)
        #expect(await speaks(3))
        #expect(controller.talkState == .talking(.twoWay))
        #expect(producer.talk.withLock { $0.requests } == [true, true])
        await stop()
    }

    @Test func `one-way talk silences outputs, and the sound is back with the end of it`() async throws {
        try await connect()
        let ear = Ear()
        controller.add(ear)
        let format = AudioStreamFormat(codec: .lpcm, samplesPerPacket: 480)
        let pipeline = controller.pipeline
        pipeline.soundBegan(format, stream: 9)
        func hears(_ number: UInt32) -> [UInt8]? {
            let now = SystemClock().now
            pipeline.soundReceived(
                ReceivedUnit(
                    unit: AccessUnit(bytes: sound.bytes, presentationTime: now, isKeyframe: true), localTime: now,
                    arrival: now, number: number, missedBefore: 0), stream: 9)
            pipeline.waitUntilIdle()
            return ear.heard.withLock { $0.last }
        }
        #expect(hears(0) == sound.bytes)
        try await controller.startTalk(.oneWay)
        #expect(hears(1) == [UInt8](repeating: 0, count: sound.bytes.count))
        controller.setTalkMode(.twoWay)
        #expect(hears(2) == sound.bytes)
        controller.setTalkMode(.oneWay)
        #expect(hears(3)?.allSatisfy { $0 == 0 } == true)
        await controller.stopTalk()
        #expect(hears(4) == sound.bytes)
        await stop()
    }
}
