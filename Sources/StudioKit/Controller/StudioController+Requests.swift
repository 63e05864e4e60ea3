internal import Confinement
internal import TransportCore
internal import WireProtocol

extension StudioController {
    /// How long a producer may take to answer.
    static let answerTime = Duration.seconds(5)

    /// What the producer sends now; nil while it sends no pictures.
    public var definition: Definition? { open.withLock { $0?.sentDefinition } }

    /// The size of what the producer sends now; nil before the first picture.
    public var resolution: PixelSize? { open.withLock { $0?.sentResolution } }

    /// Asks for another definition; nil leaves the choice to the producer. Remembered over reconnections.
    public func setDefinition(_ definition: Definition?) async throws {
        do throws(StudioError) {
            try await ask("another definition") { .setDefinition(SetDefinition(request: $0, definition: definition)) }
            open.withLock { $0?.definition = definition }
            updateSubscription()
            delegateCalls.call { [self] in $0.studioController(self, didSetDefinition: definition) }
        } catch {
            delegateCalls.call { [self] in $0.studioController(self, didFailToSetDefinition: error) }
            throw error
        }
    }

    /// Asks the producer to send this studio no pictures, or no sound, until it is asked again: of what is live, or of
    /// recordings, whichever comes now. Remembered over reconnections.
    public func setMuted(_ isMuted: Bool, for kind: StreamKind) async throws {
        do throws(StudioError) {
            try await ask(isMuted ? "silence" : "an end of the silence") {
                .mute(Mute(request: $0, kind: kind == .picture ? .video : .audio, isMuted: isMuted))
            }
            open.withLock { open in
                let mode = open?.mode ?? .live
                if isMuted {
                    open?.muted[mode, default: []].insert(kind)
                    open?.sentMuted.insert(kind)
                } else {
                    open?.muted[mode]?.remove(kind)
                    open?.sentMuted.remove(kind)
                }
            }
            delegateCalls.call { [self] in $0.studioController(self, didSetMuted: isMuted, for: kind) }
        } catch {
            delegateCalls.call { [self] in $0.studioController(self, didFailToSetMutedFor: kind, error: error) }
            throw error
        }
    }

    /// Whether the producer was asked to send nothing at all: ``pause()``.
    public var isPaused: Bool { open.withLock { $0?.isPaused ?? false } }

    /// Asks the producer to send nothing for a while: where nobody else watches, its camera is closed. Remembered over
    /// reconnections.
    ///
    /// - Throws: ``StudioError``: `notConnected`, `timedOut`, or what the producer has against it.
    public func pause() async throws { try await setPaused(true) }

    /// Asks it to go on; the first picture is a keyframe.
    ///
    /// - Throws: ``StudioError``, as ``pause()``.
    public func resume() async throws { try await setPaused(false) }

    private func setPaused(_ isPaused: Bool) async throws(StudioError) {
        do throws(StudioError) {
            try await ask(isPaused ? "a pause" : "an end of the pause") {
                .pause(Pause(request: $0, isPaused: isPaused))
            }
            open.withLock { $0?.isPaused = isPaused }
            delegateCalls.call { [self] in $0.studioController(self, didSetPaused: isPaused) }
        } catch {
            delegateCalls.call { [self] in $0.studioController(self, didFailToSetPaused: error) }
            throw error
        }
    }

    /// Sends a request and waits for its result, which it returns.
    ///
    /// - Throws: ``StudioError``: not connected, no answer, or what the producer had against it.
    @discardableResult
    func ask(
        _ what: String, within limit: Duration = answerTime,
        _ make: @escaping @Sendable (UInt32) -> ControlMessage
    ) async throws(StudioError) -> RequestResult {
        // Not ``state``, which is told a moment after the producer has begun to talk.
        guard let endpoint = try opened().endpoint, endpoint.isConnected else {
            throw StudioError(.notConnected, "no producer is connected that could be asked for \(what)")
        }
        let answer = await answer(within: limit) { await endpoint.request(make) }
        guard let answer else {
            throw StudioError(.timedOut, "the producer did not answer when asked for \(what)")
        }
        guard answer.code != .ok else { return answer }
        let code: StudioError.Code =
            switch answer.code {
            case .refused: .refused
            case .unsupported: .unsupported
            case .busy: .busy
            case .notFound: .notFound
            case .outOfRange: .outOfRange
            default: .unavailable
            }
        throw StudioError(
            code,
            answer.text.map { "the producer says: \($0)" } ?? "the producer refused \(what) (\(answer.code.rawValue))")
    }

    /// The answer, or nil when it does not come in time.
    private func answer(
        within limit: Duration, _ request: @escaping @Sendable () async -> RequestResult?
    ) async -> RequestResult? {
        await withCheckedContinuation { continuation in
            let waiting = Locked<CheckedContinuation<RequestResult?, Never>?>(continuation)
            let settle: @Sendable (RequestResult?) -> Void = { answer in
                waiting.take()?.resume(returning: answer)
            }
            Task { settle(await request()) }
            Task {
                try? await Task.sleep(for: limit)
                settle(nil)
            }
        }
    }

    // MARK: What the producer says

    func definitionIs(_ definition: Definition) {
        guard isNews(definition, \.sentDefinition) else { return }
        delegateCalls.call { [self] in $0.studioController(self, definitionDidChangeTo: definition) }
    }

    func resolutionIs(_ resolution: PixelSize) {
        guard isNews(resolution, \.sentResolution) else { return }
        delegateCalls.call { [self] in $0.studioController(self, resolutionDidChangeTo: resolution) }
    }

    /// Notes it; false where it was so already, or the controller is stopped.
    private func isNews<Value: Equatable & Sendable>(
        _ value: Value, _ place: WritableKeyPath<Open, Value?> & Sendable
    ) -> Bool {
        open.withLock { open in
            guard open != nil, open?[keyPath: place] != value else { return false }
            open?[keyPath: place] = value
            return true
        }
    }

    func producerSetMuted(_ isMuted: Bool, for kind: StreamKind) {
        delegateCalls.call { [self] in $0.studioController(self, producerDidSetMuted: isMuted, for: kind) }
    }

    /// A new session knows nothing of what was muted or paused in the last one.
    func endpointWasWelcomed() {
        guard let open = open.withLock({ $0 }), let endpoint = open.endpoint else { return }
        talkGoesOn(on: endpoint)
        if open.isPaused { Task { _ = await endpoint.request { .pause(Pause(request: $0, isPaused: true)) } } }
        self.open.withLock { $0?.sentMuted = open.mutedNow }
        for kind in open.mutedNow {
            Task {
                _ = await endpoint.request {
                    .mute(Mute(request: $0, kind: kind == .picture ? .video : .audio, isMuted: true))
                }
            }
        }
    }

    /// Tells the producer what the outputs need.
    func updateSubscription() {
        guard let open = open.withLock({ $0 }), let endpoint = open.endpoint else { return }
        var subscription = endpoint.subscription
        subscription.video = configuration.takesMedia
        subscription.audio = configuration.takesMedia && pipeline.needs.contains(.sound)
        subscription.audioCodecs = [.opus, .lpcm]
        subscription.metadata = configuration.wantsMotion || motionReaders.withLock { !$0.readers.isEmpty }
        subscription.definition = open.definition
        endpoint.subscribe(subscription)
    }

    public var statistics: StudioStatistics {
        var statistics = StudioStatistics()
        if let link = open.withLock({ $0?.endpoint })?.statistics {
            statistics.videoBitsPerSecond = link.videoBitsPerSecond
            statistics.audioBitsPerSecond = link.audioBitsPerSecond
            statistics.pictures = link.pictures
            statistics.missedPictures = link.missedPictures
            statistics.soundPackets = link.soundUnits
            statistics.missedSoundPackets = link.missedSoundUnits
            statistics.arrivalDelay = link.arrivalDelay
            statistics.roundTrip = link.roundTrip
            statistics.connections = link.connects
        }
        let counts = pipeline.currentCounts
        statistics.framesPerSecond = counts.rate
        statistics.size = counts.size
        statistics.decodedPictures = counts.decoded
        statistics.skippedPictures = counts.skippedBehind
        statistics.brokenPictures = counts.broken
        statistics.delay = counts.delays.quantile(0.5)
        statistics.delayMostly = counts.delays.quantile(0.95)
        statistics.producer = producerStatistics.withLock { $0 }.map(ProducerSecond.init)
        return statistics
    }
}

extension ProducerSecond {
    init(_ statistics: Statistics) {
        let seconds = Double(statistics.periodMicroseconds) / 1e6
        self.init(
            capturedPerSecond: Double(statistics.framesCaptured) / seconds,
            encodedPerSecond: Double(statistics.framesEncoded) / seconds, drops: statistics.framesDropped,
            targetBitsPerSecond: Int(clamping: statistics.targetBitsPerSecond),
            encodeTime: statistics.encodeMicroseconds.map { Microseconds($0) },
            viewers: Int(clamping: statistics.viewers))
    }
}
