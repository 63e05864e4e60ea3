import CamoTypes
import Confinement
import Foundation
import Testing

@testable import ProducerKit

/// What a delegate was told, in its order.
enum Told: Hashable, Sendable {
    case asked(String)
    case askedToPair(Peer)
    case state(ProducerControllerState)
    case connections([Connection])
    case definition(Definition)
    case resolution(PixelSize)
    case mute(picture: Bool, sound: Bool)
    case devices([PairedDevice])
    case failure(ProducerError)
    case report(String)
    case cameras([Camera], Camera.ID?)
    case controls([CameraControl])
    case pause(Bool)
    case talk(String)
    /// With the reason.
    case talkOver(String, String?)
    case end(ProducerError?)
    case recorded(Recording.ID)
    case recordingEnded(ProducerError?)
}

/// A delegate that writes down what it is told.
protocol LoggingDelegate: ProducerControllerDelegate, Sendable {
    var log: Watched<[Told]> { get }
    /// Done within the call.
    var onState: @Sendable (ProducerController, ProducerControllerState) -> Void { get }
}

extension LoggingDelegate {
    func producerController(_ controller: ProducerController, stateDidChangeTo state: ProducerControllerState) {
        log.change { $0.append(.state(state)) }
        onState(controller, state)
    }
    func producerController(_ controller: ProducerController, connectionsDidChange connections: [Connection]) {
        log.change { $0.append(.connections(connections)) }
    }
    func producerController(
        _ controller: ProducerController, definitionDidChangeTo definition: Definition, for connection: Connection
    ) { log.change { $0.append(.definition(definition)) } }
    func producerController(
        _ controller: ProducerController, resolutionDidChangeTo resolution: PixelSize, for connection: Connection
    ) { log.change { $0.append(.resolution(resolution)) } }
    func producerController(_ controller: ProducerController, muteDidChangeFor connection: Connection) {
        log.change { $0.append(.mute(picture: connection.isPictureMuted, sound: connection.isSoundMuted)) }
    }
    func producerController(_ controller: ProducerController, pairedDevicesDidChange devices: [PairedDevice]) {
        log.change { $0.append(.devices(devices)) }
    }
    func producerController(
        _ controller: ProducerController, camerasDidChange cameras: [Camera], selected: Camera.ID?
    ) { log.change { $0.append(.cameras(cameras, selected)) } }
    func producerController(_ controller: ProducerController, controlsDidChange controls: [CameraControl]) {
        log.change { $0.append(.controls(controls)) }
    }
    func producerController(_ controller: ProducerController, didBeginTalkFrom peer: Peer) {
        log.change { $0.append(.talk(peer.name)) }
    }
    func producerController(_ controller: ProducerController, didEndTalkFrom peer: Peer, reason: String?) {
        log.change { $0.append(.talkOver(peer.name, reason)) }
    }
    func producerController(_ controller: ProducerController, pauseDidChange isPaused: Bool) {
        log.change { $0.append(.pause(isPaused)) }
    }
    func producerController(
        _ controller: ProducerController, didRecord recording: Recording, to path: String
    ) { log.change { $0.append(.recorded(recording.id)) } }
    func producerController(_ controller: ProducerController, didStopRecordingWith error: ProducerError?) {
        log.change { $0.append(.recordingEnded(error)) }
    }
    func producerController(_ controller: ProducerController, didFailWith error: ProducerError) {
        log.change { $0.append(.failure(error)) }
    }
    func producerController(_ controller: ProducerController, didReport line: String) {
        log.change { $0.append(.report(line)) }
    }
    func producerController(_ controller: ProducerController, sourceDidEndWith error: ProducerError?) {
        log.change { $0.append(.end(error)) }
    }

    var states: [ProducerControllerState] {
        log.value.compactMap { if case .state(let state) = $0 { state } else { nil } }
    }
    var connections: [[Connection]] {
        log.value.compactMap { if case .connections(let connections) = $0 { connections } else { nil } }
    }
    var reports: [String] { log.value.compactMap { if case .report(let line) = $0 { line } else { nil } } }
}

/// Answers at once.
final class PromptDelegate: LoggingDelegate {
    let log = Watched<[Told]>([])
    let onState: @Sendable (ProducerController, ProducerControllerState) -> Void
    private let answer: @Sendable (ProducerController) -> Bool
    private let allows: @Sendable (ProducerController.Action) -> Bool

    init(
        answer: @escaping @Sendable (ProducerController) -> Bool = { _ in true },
        allows: @escaping @Sendable (ProducerController.Action) -> Bool = { _ in true },
        onState: @escaping @Sendable (ProducerController, ProducerControllerState) -> Void = { _, _ in }
    ) { (self.answer, self.allows, self.onState) = (answer, allows, onState) }

    func producerController(
        _ controller: ProducerController, allows action: ProducerController.Action, from peer: Peer
    ) -> Bool { allows(action) }

    func producerControllerShouldAcceptIncomingConnection(
        _ controller: ProducerController, from peer: Peer
    ) -> Bool {
        log.change { $0.append(.asked(peer.name)) }
        return answer(controller)
    }
}

/// Has to ask somebody first.
final class ThoughtfulDelegate: LoggingDelegate {
    let log = Watched<[Told]>([])
    let onState: @Sendable (ProducerController, ProducerControllerState) -> Void = { _, _ in }
    /// Nil: somebody is still thinking.
    let answer = Watched<Bool?>(nil)

    func producerControllerShouldAcceptIncomingConnection(
        _ controller: ProducerController, from peer: Peer
    ) -> Bool {
        Issue.record("the form without async was asked as well")
        return false
    }

    nonisolated(nonsending) func producerController(
        _ controller: ProducerController, shouldAcceptConnectionFrom peer: Peer
    ) async -> Bool {
        log.change { $0.append(.asked(peer.name)) }
        _ = await answer.hasCome { $0 != nil }
        return answer.value ?? false
    }
}

/// The system's clock, which the test can put forward.
final class JumpingClock: MonotonicClock {
    private let ahead = Locked(Microseconds.zero)
    var now: MonotonicTime { SystemClock().now + ahead.withLock { $0 } }
    func jump(by step: Microseconds) { ahead.withLock { $0 = Microseconds($0.count + step.count) } }
}

/// A folder that is removed when this object goes.
final class TemporaryFolder: Sendable {
    let path: String
    init() throws {
        let url = FileManager.default.temporaryDirectory.appending(path: "producer-kit-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        path = url.path
    }
    deinit { try? FileManager.default.removeItem(atPath: path) }

    func file(_ name: String) -> String { path + "/" + name }
}

/// A controller with a state directory of its own, off the network.
final class ControllerRig: Sendable {
    private let folder: TemporaryFolder
    let controller: ProducerController

    init(
        _ delegate: (any LoggingDelegate)? = nil, sources: [any MediaSource] = [],
        clock: any MonotonicClock = SystemClock(), allowsRemoteControl: Bool = true, pairsOverCable: Bool = true,
        loudspeaker: FakeLoudspeaker? = nil
    ) throws {
        folder = try TemporaryFolder()
        var configuration = ProducerConfiguration()
        configuration.name = "Porch"
        configuration.stateDirectory = folder.path
        configuration.advertises = false
        configuration.usb = .off
        configuration.pairsOverCable = pairsOverCable
        configuration.allowsRemoteControl = allowsRemoteControl
        configuration.preset = "ultrafast"
        configuration.speaker = loudspeaker?.name
        controller = ProducerController(
            configuration: configuration, sources: sources, clock: clock,
            loudspeakers: loudspeaker ?? FakeLoudspeaker())
        controller.delegate = delegate
    }

    /// A studio that is paired with the controller, or only knows it.
    func studio(isPaired: Bool = true, name: String = "Desk") throws -> StudioEnd {
        let studio = try StudioEnd(name: name)
        let home = try controller.installation()
        try studio.home.store.add(
            PairedDevice(id: home.identity.id, name: "Porch", role: .producer, pairedAtMilliseconds: 0))
        if isPaired {
            try home.store.add(
                PairedDevice(id: studio.home.identity.id, name: "Desk", role: .studio, pairedAtMilliseconds: 0))
        }
        return studio
    }

    /// The studio dials; returns when it is welcome.
    func connect(_ studio: StudioEnd, sourceLocation: SourceLocation = #_sourceLocation) async {
        studio.dial(controller.port)
        await studio.seen.wait(until: { $0.isConnected }, sourceLocation: sourceLocation)
    }

    /// Hands over pictures at thirty a second until told to stop.
    func feed(_ size: PixelSize = PixelSize(width: 64, height: 48)) throws -> Task<Void, Never> {
        let frame = try VideoFrame.grey(90, size)
        return Task { [controller] in
            while !Task.isCancelled {
                controller.enqueueVideo(sampleBuffer: frame)
                try? await Task.sleep(for: .milliseconds(33))
            }
        }
    }
}
