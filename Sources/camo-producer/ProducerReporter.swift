import CommandCore
import Confinement
import ProducerKit

/// Tells people and programs what a controller tells, and lets paired studios in: who runs the command has agreed.
final class ProducerReporter: ProducerControllerDelegate, Sendable {
    private let run: CommandRun
    private let known = Locked<[UInt64: Connection]>([:])
    /// Somebody is asked at the terminal.
    private let isAsking = Locked(false)
    private let failedRecording = Locked<ProducerError?>(nil)
    /// Why nothing is recorded any more; everything else went on.
    var recordingError: ProducerError? { failedRecording.withLock { $0 } }

    init(_ run: CommandRun) { self.run = run }

    func producerControllerShouldAcceptIncomingConnection(
        _ controller: ProducerController, from peer: Peer
    ) -> Bool { true }

    nonisolated(nonsending) func producerController(
        _ controller: ProducerController, shouldPairWith peer: Peer
    ) async -> Bool {
        let isFree = isAsking.withLock { isAsking in
            defer { isAsking = true }
            return !isAsking
        }
        guard isFree else { return false }
        defer { isAsking.withLock { $0 = false } }
        return await TerminalQuestion.isAnsweredYes {
            run.events.write(
                Event(
                    "pairingQuestion",
                    sentence: "“\(peer.name)” (\(peer.address)) wants to pair and to watch; it shows the fingerprint "
                        + "\(peer.id.fingerprint), too. Pair with it? y and Enter, within a minute; anything else is no",
                    [
                        "id": .string(peer.id.short), "name": .string(peer.name), "address": .string(peer.address),
                        "fingerprint": .string(peer.id.fingerprint),
                    ]))
        }
    }

    func producerController(_ controller: ProducerController, stateDidChangeTo state: ProducerControllerState) {
        let word =
            switch state {
            case .stopped: "stopped"
            case .running(.notConnected): "notConnected"
            case .running(.active): "active"
            case .running(.paused): "paused"
            }
        run.events.write(Event("state", level: .detail, ["state": .string(word)]))
    }

    func producerController(_ controller: ProducerController, connectionsDidChange connections: [Connection]) {
        let now = Dictionary(uniqueKeysWithValues: connections.map { ($0.id, $0) })
        let before = known.withLock { known in
            defer { known = now }
            return known
        }
        for connection in connections where before[connection.id] == nil { tell("connected", connection) }
        for connection in before.values where now[connection.id] == nil { tell("disconnected", connection) }
    }

    private func tell(_ what: String, _ connection: Connection) {
        let peer = connection.peer
        run.events.write(
            Event(
                what, sentence: "\(peer.name) (\(peer.id.short)) at \(peer.address) \(what)",
                [
                    "id": .string(peer.id.short), "name": .string(peer.name), "address": .string(peer.address),
                    "transport": .string(peer.transport.rawValue),
                ]))
    }

    func producerController(
        _ controller: ProducerController, camerasDidChange cameras: [Camera], selected: Camera.ID?
    ) {
        run.events.write(
            Event(
                "cameras", level: .detail,
                [
                    "selected": JSONValue(selected),
                    "cameras": .array(
                        cameras.map {
                            .object([JSONMember("id", .string($0.id)), JSONMember("name", .string($0.name))])
                        }),
                ]))
    }

    func producerController(
        _ controller: ProducerController, publishingTo target: PublishTarget, stateDidChangeTo state: PublishingState
    ) {
        var event = Event("publishing", ["server": .string("\(target)")])
        switch state {
        case .connecting:
            event.sentence = "Connecting to \(target)"
            event.fields.append(JSONMember("state", "connecting"))
        case .live:
            event.sentence = "\(target) takes the stream"
            event.fields.append(JSONMember("state", "live"))
        case .waiting(let reason, let wait):
            let seconds = Int(wait.count / 1_000_000)
            event.sentence = "\(target): \(reason); trying again in \(seconds) s"
            event.fields += [
                JSONMember("state", "waiting"), JSONMember("reason", .string(reason)),
                JSONMember("seconds", JSONValue(seconds)),
            ]
        case .stopped:
            event.sentence = "No longer publishing to \(target)"
            event.fields.append(JSONMember("state", "stopped"))
        }
        run.events.write(event)
    }

    func producerController(_ controller: ProducerController, didStartRecordingTo path: String) {
        run.events.write(Event("recording", sentence: "Recording to \(path)", ["file": .string(path)]))
    }

    func producerController(_ controller: ProducerController, didRecord recording: Recording, to path: String) {
        let seconds = Double(Int(recording.duration.inSeconds * 10)) / 10
        run.events.write(
            Event(
                "recorded", sentence: "Recorded \(seconds) s, for studios as \(recording.id): \(path)",
                [
                    "file": .string(path), "id": .string(recording.id),
                    "durationMilliseconds": .integer(recording.duration.count / 1_000),
                ]))
    }

    func producerController(_ controller: ProducerController, didStopRecordingWith error: ProducerError?) {
        guard let error else { return }
        failedRecording.withLock { $0 = error }
        run.events.write(.error(error.message))
    }

    func producerController(_ controller: ProducerController, didFailWith error: ProducerError) {
        var event = Event.error(error.message)
        if error.code == .deviceLost { event.name = "deviceLost" }
        run.events.write(event)
    }

    func producerController(_ controller: ProducerController, pauseDidChange isPaused: Bool) {
        run.events.write(.pause(isPaused))
    }

    func producerController(_ controller: ProducerController, didBeginTalkFrom peer: Peer) {
        run.events.write(
            Event(
                "talk", sentence: "\(peer.name) (\(peer.id.short)) speaks on the loudspeaker",
                ["state": "began", "id": .string(peer.id.short), "name": .string(peer.name)]))
    }

    func producerController(_ controller: ProducerController, didEndTalkFrom peer: Peer, reason: String?) {
        run.events.write(
            Event(
                "talk",
                sentence: "\(peer.name) (\(peer.id.short)) speaks no longer" + (reason.map { ": \($0)" } ?? ""),
                [
                    "state": "ended", "id": .string(peer.id.short), "name": .string(peer.name),
                    "reason": JSONValue(reason),
                ]))
    }

    func producerController(_ controller: ProducerController, didDetect motion: DetectedMotion) {
        run.events.write(.motion(motion))
    }

    func producerController(_ controller: ProducerController, didReport line: String) {
        run.events.write(Event("notice", sentence: line, ["text": .string(line)]))
    }

    func producerController(_ controller: ProducerController, sourceDidEndWith error: ProducerError?) {
        run.end(.sourceEnded(error))
    }
}
