internal import Confinement
internal import DeviceCore
internal import Dispatch
internal import MediaCore
internal import TransportCore
internal import WireProtocol

/// The loudspeaker on which studios speak, one at a time: opened when one begins, closed soon after it has ended.
final class TalkBack: Sendable {
    typealias Answer = @Sendable (RequestResult.Code, String?) -> Void

    /// What is asked and told; any thread.
    struct Events: Sendable {
        /// Camera and microphone are withheld: nothing is opened.
        var isPaused: @Sendable () -> Bool
        var allows: @Sendable (Peer, @escaping @Sendable (Bool) -> Void) -> Void
        var didBegin: @Sendable (Peer) -> Void
        /// With the reason where the studio has not ended it.
        var didEnd: @Sendable (Peer, String?) -> Void
        var report: @Sendable (String) -> Void
    }

    private struct State {
        /// What ALSA calls it; nil: none.
        var device: String?
        var floor: Floor?
        var speaker: TalkSpeaker?
        /// Each beginning and each end has a number: what an earlier one has still to do comes too late.
        var turn: UInt64 = 0
    }

    /// Whose turn it is.
    private struct Floor {
        var viewer: Viewer
        /// Somebody has agreed, and the loudspeaker is open.
        var isSpeaking = false
    }

    /// What has been said and is not played yet is let out, and more may follow.
    private static let linger = DispatchTimeInterval.milliseconds(200)
    /// Units that wait to be decoded: more of them is a studio that sends faster than anybody speaks.
    private static let waitingLimit = 25

    private let nodes: any PlaybackNodes
    private let clock: any MonotonicClock
    private let events: Events
    private let state: Confined<State>
    private let waiting = Locked(0)
    private let speaking = Locked<Peer?>(nil)

    init(_ device: String?, nodes: any PlaybackNodes, clock: any MonotonicClock, events: Events) {
        (self.nodes, self.clock, self.events) = (nodes, clock, events)
        state = Confined("talk-back", State(device: device))
    }

    /// Who speaks now.
    var talker: Peer? { speaking.withLock { $0 } }

    // MARK: What studios want; links' queues

    func request(_ wantsToTalk: Bool, by viewer: Viewer, _ answer: @escaping Answer) {
        state.async { [self] state in
            guard wantsToTalk else {
                if state.floor?.viewer === viewer { end(&state, nil) }
                return answer(.ok, nil)
            }
            guard state.device != nil else {
                return answer(.unsupported, "this producer was given no loudspeaker (--speaker)")
            }
            guard !events.isPaused() else { return answer(.refused, "the producer is paused") }
            if let floor = state.floor {
                if floor.viewer === viewer, floor.isSpeaking { return answer(.ok, nil) }
                return answer(.busy, "“\(floor.viewer.peer.name)” is speaking already")
            }
            state.turn += 1
            state.floor = Floor(viewer: viewer)
            let turn = state.turn
            events.allows(viewer.peer) { [self] isAllowed in decided(isAllowed, turn, answer) }
        }
    }

    private func decided(_ isAllowed: Bool, _ turn: UInt64, _ answer: @escaping Answer) {
        state.async { [self] state in
            // It has given up, or was given up, while somebody was thinking.
            guard state.turn == turn, let viewer = state.floor?.viewer, let device = state.device else {
                return answer(.refused, "it was ended before it began")
            }
            guard isAllowed else {
                leaveFloor(&state)
                return answer(.refused, "the producer did not agree")
            }
            do throws(ProducerError) {
                if state.speaker == nil {
                    state.speaker = try TalkSpeaker(device, nodes: nodes, clock: clock, report: events.report)
                }
            } catch {
                leaveFloor(&state)
                return answer(RequestResult.Code(error), error.message)
            }
            state.floor?.isSpeaking = true
            let peer = viewer.peer
            speaking.withLock { $0 = peer }
            events.didBegin(peer)
            answer(.ok, nil)
        }
    }

    func play(_ unit: AccessUnit, _ format: AudioStreamFormat, of viewer: Viewer) {
        let isTaken = waiting.withLock { waiting in
            guard waiting < Self.waitingLimit else { return false }
            waiting += 1
            return true
        }
        guard isTaken else { return }
        state.async { [self] state in
            waiting.withLock { $0 -= 1 }
            guard let floor = state.floor, floor.isSpeaking, floor.viewer === viewer else { return }
            state.speaker?.play(unit, format)
        }
    }

    /// The studio has gone, or does not answer.
    func lost(_ viewer: Viewer, _ reason: String) {
        state.async { [self] state in if state.floor?.viewer === viewer { end(&state, reason) } }
    }

    // MARK: What the producer wants

    /// Whoever speaks is told why it is over.
    func end(_ reason: String) {
        state.async { [self] state in cut(&state, reason) }
    }

    /// Another loudspeaker, or none: whoever speaks is cut off.
    func setDevice(_ device: String?) {
        state.async { [self] state in
            guard state.device != device else { return }
            cut(&state, device == nil ? "the loudspeaker was switched off" : "another loudspeaker was chosen")
            close(&state)
            state.device = device
        }
    }

    /// Returns when the loudspeaker is closed.
    func stop() {
        state.sync { [self] state in
            end(&state, "the producer stops")
            close(&state)
        }
    }

    // MARK: On the queue

    private func cut(_ state: inout State, _ reason: String) {
        guard let viewer = state.floor?.viewer else { return }
        if viewer.endTalk() { viewer.send(.talkEnded(TalkEnded(text: reason))) }
        end(&state, reason)
    }

    private func end(_ state: inout State, _ reason: String?) {
        guard state.floor != nil else { return }
        leaveFloor(&state)
        if let peer = speaking.take() { events.didEnd(peer, reason) }
    }

    /// Also where nobody has spoken: the loudspeaker may still be open for whoever spoke before.
    private func leaveFloor(_ state: inout State) {
        state.turn += 1
        state.floor = nil
        let turn = state.turn
        self.state.async(after: Self.linger) { [self] state in if state.turn == turn { close(&state) } }
    }

    private func close(_ state: inout State) {
        state.speaker?.close()
        state.speaker = nil
    }
}
