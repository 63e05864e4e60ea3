import CommandCore
import Confinement
import StudioKit

/// Tells people and programs what a controller tells, and ends the command where that ends it.
final class StudioReporter: StudioControllerDelegate, Sendable {
    private let run: CommandRun
    /// The end of the producer's source ends the command.
    private let endsWithSource: Bool
    /// There is nothing else to do than to record.
    private let endsWithRecording: Bool
    private let lastReason = Locked("")
    private let failedRecording = Locked<StudioError?>(nil)
    /// Notices that wait until something else has been told; nil: they are told at once.
    private let held = Locked<[Event]?>(nil)

    init(_ run: CommandRun, endsWithSource: Bool = false, endsWithRecording: Bool = false) {
        self.run = run
        self.endsWithRecording = endsWithRecording
        self.endsWithSource = endsWithSource
    }

    /// Why a recording ended before it was asked to.
    var recordingError: StudioError? { failedRecording.withLock { $0 } }

    func studioController(_ controller: StudioController, stateDidChangeTo state: StudioControllerState) {
        switch state {
        case .stopped, .idle: break
        case .searching:
            run.events.write(Event("searching", sentence: "Waiting for a producer"))
        case .connecting(let address):
            run.events.write(
                Event("connecting", level: .detail, sentence: "Connecting to \(address)", ["address": .string(address)])
            )
        case .connected(let connection): tell(connection)
        case .waiting(let interruption): tell(interruption)
        case .refused(let reason): run.end(.failed(StudioError(.refused, reason)))
        case .failed(let error): run.end(.failed(error))
        }
    }

    private func tell(_ connection: Connection) {
        lastReason.withLock { $0 = "" }
        let peer = connection.peer
        run.events.write(
            Event(
                "connected", sentence: "Connected to \(peer.name) (\(peer.address))",
                [
                    "producer": .string(peer.name), "id": .string(peer.id.short), "address": .string(peer.address),
                    "transport": .string(peer.transport.rawValue),
                ]))
    }

    private func tell(_ interruption: StudioControllerState.Interruption) {
        // Each try fails for the same reason until it doesn't: people want to hear it once.
        let isNews = lastReason.withLock { last in
            defer { last = interruption.reason }
            return last != interruption.reason
        }
        let ends = interruption.hasSourceEnded && endsWithSource
        run.events.write(
            Event(
                "waiting", level: isNews ? .message : .detail,
                sentence: ends
                    ? "The producer's source came to its end" : "\(interruption.reason); trying again",
                [
                    "reason": .string(interruption.reason),
                    "retryAfterMilliseconds": .integer(interruption.retryAfter.count / 1_000),
                    "sourceEnded": .bool(interruption.hasSourceEnded),
                ]))
        if ends { run.end(.sourceEnded) }
    }

    func studioController(_ controller: StudioController, didReport notice: String) {
        let event = Event("notice", sentence: notice, ["text": .string(notice)])
        // Told with the lock held: in their order.
        held.withLock { held in
            if held == nil { run.events.write(event) } else { held?.append(event) }
        }
    }

    /// From now on notices wait: what the command is for is to be its first event.
    func holdNotices() { held.withLock { $0 = $0 ?? [] } }

    func releaseNotices() {
        held.withLock { held in
            for event in held ?? [] { run.events.write(event) }
            held = nil
        }
    }

    func studioController(_ controller: StudioController, playbackDidChangeTo playback: PlaybackState?) {
        guard let playback else { return run.events.write(Event("playback", ["state": "live"])) }
        run.events.write(
            Event(
                "playback",
                [
                    "recording": .string(playback.recording), "state": .string(playback.phase.rawValue),
                    "positionMilliseconds": .integer(playback.position.count / 1_000),
                    "durationMilliseconds": .integer(playback.duration.count / 1_000),
                    "reason": JSONValue(playback.reason),
                ]))
    }

    func studioController(_ controller: StudioController, didDetect motion: DetectedMotion) {
        run.events.write(.motion(motion))
    }

    func studioController(_ controller: StudioController, talkDidChangeTo state: TalkState) {
        var event = Event("talk")
        switch state {
        case .off:
            event.sentence = "Nothing is said any more"
            event.fields.append(JSONMember("state", "off"))
        case .talking(let mode):
            event.sentence = "The microphone is heard at the producer (\(mode.rawValue))"
            event.fields.append(JSONMember("state", "talking"))
        case .waiting:
            event.sentence = "The microphone is not heard until the connection is back"
            event.fields.append(JSONMember("state", "waiting"))
        }
        event.fields.append(JSONMember("mode", JSONValue(state.mode?.rawValue)))
        run.events.write(event)
    }

    func studioController(_ controller: StudioController, didFailToTalk error: StudioError) {
        run.events.write(.error(error.description, exitCode: ExitCode(error)))
    }

    func studioController(_ controller: StudioController, definitionDidChangeTo definition: Definition) {
        run.events.write(
            Event(
                "definition", level: .detail, sentence: "Definition: \(definition.rawValue)",
                ["definition": .string(definition.rawValue)]))
    }

    func studioController(_ controller: StudioController, didStartRecordingTo path: String) {
        run.events.write(Event("recording", sentence: "Recording to \(path)", ["file": .string(path)]))
    }

    func studioController(_ controller: StudioController, didStopRecording summary: RecordingSummary) {
        for remark in summary.remarks {
            run.events.write(Event("notice", sentence: remark, ["text": .string(remark)]))
        }
        let files = summary.files.joined(separator: ", ")
        let seconds = Double(Int(summary.duration.inSeconds * 10)) / 10
        run.events.write(
            Event(
                "recorded",
                sentence: summary.files.isEmpty
                    ? "Nothing was recorded" + (summary.error == nil ? ": no picture came" : "")
                    : "Recorded \(seconds) s, \(summary.pictures) pictures: \(files)",
                [
                    "files": .array(summary.files.map { .string($0) }), "pictures": JSONValue(summary.pictures),
                    "durationMilliseconds": .integer(summary.duration.count / 1_000),
                    "error": JSONValue(summary.error?.description),
                ]))
        guard let error = summary.error else { return }
        failedRecording.withLock { $0 = error }
        run.events.write(.error(error.description, exitCode: ExitCode(error)))
        if endsWithRecording { run.end(.told(ExitCode(error))) }
    }
}
