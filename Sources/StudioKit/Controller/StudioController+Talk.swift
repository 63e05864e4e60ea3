internal import Confinement
internal import DeviceCore
public import FoundationEssentials
internal import TransportCore
internal import WireProtocol

/// Speaking on the producer's loudspeaker, where it was given one.
extension StudioController {
    /// The producer may have to ask somebody, and to open its loudspeaker.
    private static let talkAnswerTime = Duration.seconds(10)

    /// Whether this studio speaks, and how.
    public var talkState: TalkState { talkStates.value }

    /// Speaks on the producer's loudspeaker from now on, until ``stopTalk()``; one studio at a time. Goes on over
    /// reconnections, if the producer agrees again.
    ///
    /// - Parameters:
    ///   - mode: What becomes of the producer's sound meanwhile. With a loudspeaker here that the microphone hears, two-way
    ///     talk howls.
    ///   - device: A microphone: what ALSA calls it, such as `default`, or an ID or name of the list of devices; nil: what
    ///     is handed over by ``enqueuePCMAudio(_:)``.
    /// - Throws: ``StudioError``: `unsupported` where the producer has no loudspeaker, `busy` while somebody speaks,
    ///   `refused`, `notConnected`, or what is wrong with the microphone.
    public func startTalk(_ mode: TalkMode, from device: String? = nil) async throws {
        do throws(StudioError) {
            try await beginTalk(mode, device)
        } catch {
            didFailToTalk(error)
            throw error
        }
    }

    private func beginTalk(_ mode: TalkMode, _ device: String?) async throws(StudioError) {
        guard let endpoint = try opened().endpoint else {
            throw StudioError(.notConnected, "no producer is connected that could be spoken to")
        }
        // What is wrong with it is said before anybody is asked.
        let microphone = try await microphone(device)
        let sender = TalkSender(endpoint, microphone: microphone, clock: clock)
        let isFirst = talk.withLock { talk in
            guard talk == nil else { return false }
            talk = (sender, mode)
            return true
        }
        guard isFirst else {
            await offThread { sender.close() }
            throw StudioError(.busy, "this studio speaks already; call stopTalk() first")
        }
        do throws(StudioError) {
            try await ask("talk", within: Self.talkAnswerTime) { .talk(Talk(request: $0, isActive: true)) }
            guard talk.withLock({ $0?.sender === sender }) else {
                throw StudioError(.cancelled, "the talk was ended before it began")
            }
            try sender.start(onLoss: { [weak self] in self?.talkFailed(sender, $0) })
        } catch {
            await leave(sender)
            // It may yet agree, after all this time.
            if error.code != .notConnected { await sayNoMore(endpoint) }
            throw error
        }
        granted(sender)
    }

    private func microphone(_ device: String?) async throws(StudioError) -> SoundCaptureDevice? {
        guard let device else { return nil }
        let opened = await offThread { [microphones] () -> Result<SoundCaptureDevice, StudioError> in
            do throws(DeviceError) {
                return .success(try SoundCaptureDevice(SoundDevice.find(device), nodes: microphones))
            } catch {
                return .failure(StudioError(error))
            }
        }
        return try opened.get()
    }

    /// Speaks no longer. Does nothing where it does not; returns when the microphone is closed.
    public func stopTalk() async {
        guard let sender = talk.withLock({ $0 })?.sender else { return }
        await leave(sender)
        if let endpoint = open.withLock({ $0?.endpoint }) { await sayNoMore(endpoint) }
    }

    /// Another mode, from now on; does nothing while this studio does not speak.
    public func setTalkMode(_ mode: TalkMode) {
        let state = talk.withLock { talk -> TalkState? in
            guard talk != nil else { return nil }
            talk?.mode = mode
            return talk?.sender.isGranted == true ? .talking(mode) : .waiting(mode)
        }
        if let state { talkDidChange(to: state) }
    }

    /// Silence is sent in place of what is said, until it is set again; false with each beginning.
    public var isTalkMuted: Bool {
        get { talk.withLock { $0?.sender.isMuted ?? false } }
        set { talk.withLock { $0?.sender.isMuted = newValue } }
    }

    /// Hands over sound to be heard at the producer, while this studio speaks without a microphone: any rate, 1 to 8
    /// channels, in pieces of any length, no faster than it is to be heard. Else it is dropped. Never blocks.
    public func enqueuePCMAudio(_ frame: AudioFrame) {
        guard frame.format.isSupported, let sender = talk.withLock({ $0 })?.sender else { return }
        if !sender.hasMicrophone { sender.take(frame) }
    }

    /// The same: 48 kHz, two channels, interleaved 32-bit float. A piece that ends within a sample is cut there.
    public func enqueuePCMAudio(data: Data) {
        let whole = data.count - data.count % AudioFormat.standard.bytesPerSample
        guard whole > 0 else { return }
        enqueuePCMAudio(AudioFrame(format: .standard, bytes: Array(data.prefix(whole))))
    }

    // MARK: What happens to it

    private func granted(_ sender: TalkSender) {
        let mode = talk.withLock { talk -> TalkMode? in
            guard let talk, talk.sender === sender else { return nil }
            sender.isGranted = true
            return talk.mode
        }
        if let mode { talkDidChange(to: .talking(mode)) }
    }

    /// A session that begins knows of no talk.
    func talkGoesOn(on endpoint: StudioEndpoint) {
        guard let sender = talk.withLock({ $0 })?.sender, sender.isGranted || talkState != .off else { return }
        sender.isGranted = false
        Task { [weak self] in
            let answer = await endpoint.request { .talk(Talk(request: $0, isActive: true)) }
            // Nil: the connection is lost once more.
            guard let self, let answer else { return }
            if answer.code == .ok { return granted(sender) }
            talkFailed(sender, StudioError(.refused, "the producer says: \(answer.text ?? answer.code.rawValue)"))
        }
    }

    /// The connection is lost.
    func talkIsInterrupted() {
        guard let (sender, mode) = talk.withLock({ $0 }), talkState != .off else { return }
        sender.isGranted = false
        talkDidChange(to: .waiting(mode))
    }

    /// Another producer, or none: nobody there was asked.
    func forgetTalk() {
        guard let sender = talk.withLock({ $0 })?.sender else { return }
        Task { [weak self] in await self?.leave(sender) }
    }

    func talkWasEnded(_ reason: String?) {
        guard let sender = talk.withLock({ $0 })?.sender else { return }
        talkFailed(sender, StudioError(.refused, "the producer ended the talk" + (reason.map { ": \($0)" } ?? "")))
    }

    /// It has ended, and nobody here has asked for that.
    private func talkFailed(_ sender: TalkSender, _ error: StudioError) {
        Task { [weak self] in
            guard let self, await leave(sender) else { return }
            if let endpoint = open.withLock({ $0?.endpoint }) {
                _ = await endpoint.request { .talk(Talk(request: $0, isActive: false)) }
            }
            didFailToTalk(error)
        }
    }

    /// Closes everything at this end; false where that was done before.
    @discardableResult
    func leave(_ sender: TalkSender) async -> Bool {
        let isTalk = talk.withLock { talk in
            guard talk?.sender === sender else { return false }
            talk = nil
            return true
        }
        await offThread { sender.close() }
        if isTalk { talkDidChange(to: .off) }
        return isTalk
    }

    private func sayNoMore(_ endpoint: StudioEndpoint) async {
        guard endpoint.isConnected else { return }
        _ = try? await ask("an end of the talk") { .talk(Talk(request: $0, isActive: false)) }
    }

    private func talkDidChange(to state: TalkState) {
        pipeline.setSoundWithheld(state == .talking(.oneWay))
        guard talkStates.send(state) else { return }
        delegateCalls.call { [self] in $0.studioController(self, talkDidChangeTo: state) }
    }

    private func didFailToTalk(_ error: StudioError) {
        delegateCalls.call { [self] in $0.studioController(self, didFailToTalk: error) }
    }
}
