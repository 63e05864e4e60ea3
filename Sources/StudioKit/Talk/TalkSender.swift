internal import Confinement
internal import DeviceCore
internal import Dispatch
internal import MediaCore
internal import TransportCore

/// Sound of a microphone, or of the program, on its way to the producer's loudspeaker: cut into packets of 10 ms and coded
/// on a queue of its own, while the producer takes it.
final class TalkSender: Sendable {
    private struct State {
        var intake = SoundIntake()
        var chunker = SoundChunker(samplesPerPacket: TalkSender.format.samplesPerPacket)
        var encoder: (any SoundEncoder)?
        var isOver = false
    }

    static let format = AudioStreamFormat(codec: .opus, samplesPerPacket: 480)
    /// Runs of sound that wait to be coded; more of them is a program that hands over faster than anybody speaks.
    private static let waitingLimit = 100

    private let endpoint: StudioEndpoint
    private let microphone: SoundCaptureDevice?
    private let clock: any MonotonicClock
    private let state = Confined("camo.studio.talk", State())
    private let waiting = Locked(0)
    private let granted = Locked(false)
    private let muted = Locked(false)

    /// - Parameters:
    ///   - endpoint: What leads to the producer.
    ///   - microphone: Open, and not started; nil: the program hands over sound.
    ///   - clock: Of the sound.
    init(_ endpoint: StudioEndpoint, microphone: SoundCaptureDevice?, clock: any MonotonicClock) {
        (self.endpoint, self.microphone, self.clock) = (endpoint, microphone, clock)
    }

    /// The producer takes what is said. Without it, it is dropped here.
    var isGranted: Bool {
        get { granted.withLock { $0 } }
        set { granted.withLock { $0 = newValue } }
    }

    /// Silence is sent in place of what is said.
    var isMuted: Bool {
        get { muted.withLock { $0 } }
        set { muted.withLock { $0 = newValue } }
    }

    /// Starts the microphone, if there is one.
    ///
    /// - Parameter onLoss: The microphone has gone; on its thread.
    func start(onLoss: @escaping @Sendable (StudioError) -> Void) throws(StudioError) {
        do throws(DeviceError) {
            try microphone?.start(
                onFrame: { [weak self] in self?.take($0) },
                onEvent: { event in if case .lost(let error) = event { onLoss(StudioError(error)) } })
        } catch {
            throw StudioError(error)
        }
    }

    var hasMicrophone: Bool { microphone != nil }

    /// Any thread; returns at once.
    func take(_ frame: AudioFrame) {
        guard isGranted else { return }
        let isTaken = waiting.withLock { waiting in
            guard waiting < Self.waitingLimit else { return false }
            waiting += 1
            return true
        }
        guard isTaken else { return }
        let now = clock.now
        state.async { [self] state in
            waiting.withLock { $0 -= 1 }
            send(frame, arrival: now, &state)
        }
    }

    /// Returns when nothing more is sent and the microphone is closed. Not on its thread.
    func close() {
        isGranted = false
        microphone?.stop()
        state.sync { state in
            state.isOver = true
            endpoint.endSaying()
        }
    }

    private func send(_ frame: AudioFrame, arrival: MonotonicTime, _ state: inout State) {
        guard !state.isOver, isGranted else { return }
        do throws(MediaError) {
            let encoder: any SoundEncoder
            if let open = state.encoder { encoder = open } else { encoder = try SoundCoding.encoder(for: Self.format) }
            state.encoder = encoder
            var frame = frame
            if isMuted { frame.silence() }
            guard let piece = try state.intake.take(frame, arrival: arrival) else { return }
            state.chunker.append(piece.frame, isDiscontinuity: piece.isDiscontinuity)
            while let chunk = state.chunker.next() {
                var unit = try encoder.encode(chunk.frame)
                unit.isDiscontinuity = chunk.isDiscontinuity
                endpoint.say(unit, as: Self.format)
            }
        } catch {
            // A run that cannot be used is left out; the next may be.
        }
    }
}

extension AudioFrame {
    /// As long as it was, and nothing to be heard.
    mutating func silence() { bytes = [UInt8](repeating: 0, count: bytes.count) }
}
