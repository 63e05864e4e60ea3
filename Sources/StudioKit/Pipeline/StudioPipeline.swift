package import Confinement
package import TransportCore
package import WireProtocol

/// From the link to the outputs:
///
/// ```
///  link's queue                  decoder's queue               output's own thread or queue
///
///  received ──┬── units as they are ──────────────────────────> recorder, H.264 and MPEG-TS on stdout
///   picture   └── backlog ──> decoder ──┬── newest wins ──────> raw pictures on stdout
///                                       ├───────────────────> frames (AsyncStream)
///                                       └───────────────────> snapshot
///  received ───── sound decoder ───────────────────────────────> recorder, MPEG-TS
///   sound         (its own queue)
/// ```
///
/// An output says what it needs, and nothing else is done. No output can hold up the link: each drops what it cannot
/// take. Every method may be called on any thread; units of one stream come in order.
package final class StudioPipeline: Sendable {
    private struct State: Sendable {
        var outputs: [any StudioOutput] = []
        /// By the stream's number on the wire; a number is not used again within a session, but in the next one.
        var pictureStreams: [UInt16: (format: VideoStreamFormat, stream: Int, isPlayed: Bool)] = [:]
        var soundStreams: [UInt16: (format: AudioStreamFormat, stream: Int)] = [:]
        var lastStream = 0
        var camera = CameraTimeline()
        var playback = PlaybackTimeline()

        mutating func nextStream() -> Int {
            lastStream += 1
            return lastStream
        }

        var needs: OutputNeeds { outputs.reduce([]) { $0.union($1.needs) } }
    }

    private let state: Locked<State>
    /// Changes of the outputs so far; its lock makes them come one after the other.
    private let changes = Locked<UInt64>(0)
    private let counts: Locked<PipelineCounts>
    private let decode: DecodeStage
    private let sound: SoundStage
    /// Outputs get silence in place of sound.
    private let isSoundWithheld: Locked<Bool>
    private let onNeedsKeyframe: @Sendable () -> Void

    /// - Parameter onNeedsKeyframe: somebody can go on only from a keyframe; called on any queue, possibly often: the
    ///   endpoint merges requests.
    package init(clock: any MonotonicClock, onNeedsKeyframe: @escaping @Sendable () -> Void) {
        let state = Locked(State())
        let counts = Locked(PipelineCounts())
        let isSoundWithheld = Locked(false)
        self.isSoundWithheld = isSoundWithheld
        self.state = state
        self.counts = counts
        self.onNeedsKeyframe = onNeedsKeyframe
        decode = DecodeStage(
            clock: clock, counts: counts,
            onPicture: { frame in
                for output in state.withLock({ $0.outputs }) where output.needs.contains(.pictures) {
                    output.show(frame)
                }
            },
            onNeedsKeyframe: onNeedsKeyframe)
        sound = SoundStage(counts: counts) { sound in
            var sound = sound
            if isSoundWithheld.withLock({ $0 }) { sound.frame.silence() }
            for output in state.withLock({ $0.outputs }) where output.needs.contains(.sound) { output.play(sound) }
        }
    }

    // MARK: What comes from the link

    package func pictureBegan(_ format: VideoStreamFormat, stream: UInt16) {
        state.withLock { $0.pictureStreams[stream] = (format, $0.nextStream(), $0.playback.isPlaying) }
    }

    package func pictureReceived(_ received: ReceivedUnit, stream: UInt16) {
        let time = received.unit.presentationTime
        let (outputs, known, camera, place) = state.withLock { state in
            (
                state.outputs, state.pictureStreams[stream], state.camera.parameters(at: time),
                state.playback.place(at: time)
            )
        }
        guard let known else { return }
        var unit = PictureUnit(received: received, format: known.format, stream: known.stream)
        // How the camera sees now is nothing to a recording.
        if known.isPlayed { unit.place = place } else { unit.camera = camera }
        decode.receive(unit)
        var needsKeyframe = false
        for output in outputs where output.needs.contains(.units) {
            if output.receive(unit) { needsKeyframe = true }
        }
        if needsKeyframe { onNeedsKeyframe() }
    }

    /// How the camera sees, from the picture with this time on, by the producer's clock.
    package func cameraChanged(to parameters: CameraParameters?, since time: MonotonicTime) {
        state.withLock { $0.camera.told(parameters, since: time) }
    }

    /// A recording comes, or comes no longer; before the streams that it is about.
    package func playbackChanged(to playback: Playback) { state.withLock { $0.playback.told(playback) } }

    func playbackIsLost() { state.withLock { $0.playback = PlaybackTimeline() } }

    package func soundBegan(_ format: AudioStreamFormat, stream: UInt16) {
        state.withLock { $0.soundStreams[stream] = (format, $0.nextStream()) }
    }

    package func soundReceived(_ received: ReceivedUnit, stream: UInt16) {
        guard let known = state.withLock({ $0.soundStreams[stream] }) else { return }
        sound.receive(received, format: known.format, stream: known.stream)
    }

    package func streamEnded(_ stream: UInt16) {
        state.withLock { state in
            state.pictureStreams[stream] = nil
            state.soundStreams[stream] = nil
        }
    }

    /// The session ended: no unit of the old streams is taken any more.
    package func sessionEnded() {
        state.withLock { state in
            state.pictureStreams.removeAll()
            state.soundStreams.removeAll()
            state.camera = CameraTimeline()
        }
    }

    // MARK: Where it goes

    /// What all outputs together need.
    package var needs: OutputNeeds { state.withLock { $0.needs } }

    var outputCount: Int { state.withLock { $0.outputs.count } }

    package func add(_ output: any StudioOutput) {
        changeOutputs { $0.append(output) }
        if output.needs.contains(.units) { onNeedsKeyframe() }
    }

    /// True: outputs get silence from now on, as long as the sound is.
    func setSoundWithheld(_ isWithheld: Bool) { isSoundWithheld.withLock { $0 = isWithheld } }

    /// Calls that are under way on other queues may still reach the output.
    package func remove(_ output: any StudioOutput) {
        changeOutputs { $0.removeAll { $0 === output } }
    }

    /// One change after the other, or the stages might be told of the last but one.
    private func changeOutputs(_ change: (inout [any StudioOutput]) -> Void) {
        changes.withLock { changes in
            changes += 1
            let needs = state.withLock { state in
                change(&state.outputs)
                return state.needs
            }
            decode.setWanted(needs.contains(.pictures))
            sound.setWanted(needs.contains(.sound))
        }
    }

    /// Tells the outputs that nothing more will come.
    package func stop() {
        sessionEnded()
        for output in state.withLock({ $0.outputs }) { output.studioStopped() }
    }

    /// Returns when all that was received before has reached the outputs. Not on a queue of the pipeline.
    package func waitUntilIdle() {
        decode.waitUntilIdle()
        sound.waitUntilIdle()
    }

    var currentCounts: PipelineCounts { counts.withLock { $0 } }
}
