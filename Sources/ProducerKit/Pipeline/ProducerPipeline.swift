internal import Confinement
internal import Dispatch
internal import MediaCore
internal import TransportCore

/// The flow of a producer, from top to bottom:
/// ```
///  source ──► deliver(frame) ──► slot ──► convert ─► encode ─► offer ──► each viewer's link
///    thread        one per definition        its own queue                 pulls packets when it can
///  source ──► deliver(sound) ──► resample, cut, code once per coding ──► each viewer's link
/// ```
/// It knows who watches, opens a source that may be opened late, and closes it a few seconds after nobody does.
final class ProducerPipeline: MediaSink, Sendable {
    struct Settings: Sendable {
        var encode: EncodeStage.Settings
        /// The encoder that was asked for, and what may take its place.
        var encoders: [EncoderKind]
        /// What may be spared where this machine is too slow.
        var relief = LoadRelief()
        /// Nil: each studio's own first choice.
        var soundCodec: AudioCodec?
        var hasSound = true
        /// How long a camera stays open when nobody watches.
        var linger = Microseconds.seconds(Int64(3))
    }

    /// What the pipeline tells; any thread.
    struct Events: Sendable {
        var report: @Sendable (String) -> Void
        /// A source could not be opened when somebody came to watch; the others go on.
        var sourceDidFail: @Sendable (ProducerError) -> Void
        /// A source has ended by itself.
        var sourceDidEnd: @Sendable (ProducerError?) -> Void
        /// What viewers are sent is of another definition or size.
        var sizeDidChange: @Sendable () -> Void = {}
        /// Something moves in the picture, or does no longer.
        var didDetect: @Sendable (DetectedMotion) -> Void = { _ in }
        /// Something was set on the camera.
        var controlsDidChange: @Sendable ([CameraControl]) -> Void = { _ in }
    }

    /// What studios may ask for, the smallest first. The last is what they are sent unless they do.
    let definitions: [Definition]
    private let settings: Settings
    private let sources: [any MediaSource]
    private let clock: any MonotonicClock
    private let events: Events
    private let camera: Locked<CameraParameters?>
    private let sound: SoundDistribution
    private let coded: CodedPassage
    private let choice: EncoderChoice
    private let gate = PauseGate()
    /// What moves is looked for in what is sent, and told to viewers who want it.
    private let motion = MotionWatch()
    private let state = Locked(State())
    /// Starting and stopping a source may take a while: not on a link's queue.
    private let sourceQueue = DispatchQueue(label: "sources", qos: .userInitiated)

    private struct State {
        /// One for each definition that is watched, and the last one that was.
        var encodes: [Definition: DefinitionEncode] = [:]
        /// What those did that are not there any more.
        var past = ProducerStatistics()
        var watching: [UInt64: (viewer: any ViewerSink, definition: Definition)] = [:]
        /// Viewers that an encode has not let go yet, and how many have not.
        var leaving: [UInt64: Int] = [:]
        var placement = LinkPlacement()
        /// The newest picture while there is no encode yet: whoever comes first need not wait for the next.
        var newest: VideoFrame?
        /// The source sends coded pictures now; nil: none came yet.
        var isCoded: Bool?
        var areSourcesOpen = false
        var nobodySince: MonotonicTime?
        var isStopped = false
    }

    /// - Parameter camera: How the camera sees, for pictures that do not say themselves.
    init(
        _ settings: Settings, sources: [any MediaSource], clock: any MonotonicClock, events: Events,
        camera: Locked<CameraParameters?> = Locked(nil)
    ) {
        self.settings = settings
        definitions =
            sources.contains { $0.isCodedOnly } ? [settings.encode.definition] : settings.encode.definitions
        self.camera = camera
        self.sources = sources
        self.clock = clock
        self.events = events
        sound = SoundDistribution(preferred: settings.soundCodec, clock: clock, report: events.report)
        coded = CodedPassage(definition: settings.encode.definition)
        choice = EncoderChoice(
            settings.encoders.first ?? .x264, Array(settings.encoders.dropFirst()), clock: clock,
            report: events.report)
    }

    /// Nil: nothing is looked for.
    func setMotionDetection(_ settings: MotionDetection?) { motion.set(settings) }

    private func tell(_ motion: DetectedMotion) {
        events.didDetect(motion)
        for viewer in state.withLock({ $0.watching.values.map(\.viewer) }) { viewer.tell(motion) }
    }

    // MARK: Start and stop

    /// Opens the sources that cannot wait; throws what the first says that cannot be opened.
    func start() throws(ProducerError) {
        // Before the first studio comes.
        DispatchQueue.global(qos: .userInitiated).async { [choice, encode = settings.encode] in
            choice.prepare(encode.encoderSettings(for: encode.box ?? encode.definition.box))
        }
        var opened: [any MediaSource] = []
        do throws(ProducerError) {
            for source in sources where !source.opensOnDemand {
                try source.start(into: self)
                opened.append(source)
            }
        } catch {
            stopAll(opened)
            throw error
        }
    }

    /// Returns when sources and encoders are closed.
    func stop() {
        let encodes = state.withLock { state in
            state.isStopped = true
            state.newest = nil
            defer { (state.encodes, state.watching) = ([:], [:]) }
            return Array(state.encodes.values)
        }
        sourceQueue.sync { stopAll(sources) }
        coded.close()
        for encode in encodes { encode.close() }
        sound.close()
    }

    /// All at once: each may take a second, and together they may not take longer.
    private func stopAll(_ sources: [any MediaSource]) {
        DispatchQueue.concurrentPerform(iterations: sources.count) { index in
            guard !sources[index].stop() else { return }
            events.report("\(sources[index].name): a driver holds its thread, which is left behind")
        }
    }

    // MARK: Pictures and sound in; the sources' threads

    func deliver(_ frame: VideoFrame) { gate.passPicture(frame.size) { handOn(withCamera(frame)) } }

    /// With how the camera saw it, where the picture does not say itself.
    private func withCamera(_ frame: VideoFrame) -> VideoFrame {
        guard frame.cameraParameters == nil else { return frame }
        var frame = frame
        frame.cameraParameters = camera.withLock { $0 }
        return frame
    }

    private func handOn(_ frame: VideoFrame) {
        let (encodes, isOther) = state.withLock { state in
            if state.encodes.isEmpty, !state.isStopped { state.newest = frame }
            defer { state.isCoded = false }
            return (Array(state.encodes.values), state.isCoded == true)
        }
        if isOther { coded.leaveStreams() }
        for encode in encodes { encode.offer(frame) }
    }

    func deliver(_ unit: AccessUnit, format: CodedPictureFormat) {
        gate.passPicture(format.size) { handOn(unit, format) }
    }

    private func handOn(_ unit: AccessUnit, _ format: CodedPictureFormat) {
        let left = state.withLock { state -> [DefinitionEncode] in
            defer { state.isCoded = true }
            guard state.isCoded == false else { return [] }
            state.newest = nil
            return Array(state.encodes.values)
        }
        for encode in left { encode.leaveStreams() }
        let isOther = coded.offer(unit, format: format, camera: camera.withLock { $0 }, arrival: clock.now)
        if isOther { events.sizeDidChange() }
    }

    func deliver(_ sound: AudioFrame) { if settings.hasSound, !gate.isShut { self.sound.offer(sound) } }

    /// Whoever comes next is not shown what was there minutes ago.
    func picturesAreOutOfDate() {
        // What is kept now is the placeholder.
        if !gate.isShut { forgetPictures() }
    }

    private func forgetPictures() {
        motion.forget()
        let encodes = state.withLock { state in
            state.newest = nil
            return Array(state.encodes.values)
        }
        for encode in encodes { encode.forgetPictures() }
    }

    func cameraDidChange() {
        picturesAreOutOfDate()
        for encode in state.withLock({ Array($0.encodes.values) }) { encode.requestKeyframes() }
    }

    func controlsDidChange(_ controls: [CameraControl]) { events.controlsDidChange(controls) }

    func sourceDidEnd(_ error: ProducerError?) { events.sourceDidEnd(error) }
    func sourceDidLose(_ error: ProducerError) { events.sourceDidFail(error) }
    func sourceDidReport(_ line: String) { events.report(line) }

    // MARK: Viewers; links' queues

    /// What a camera has coded is of the definition that it was opened for.
    var wantsDecoded: Bool {
        state.withLock { state in state.watching.values.contains { $0.definition != settings.encode.definition } }
    }

    /// A viewer came, or what it wants has changed.
    func update(_ viewer: any ViewerSink) {
        if viewer.wantsSound, settings.hasSound { sound.add(viewer) } else { sound.remove(viewer) }
        place(viewer, isWatching: viewer.wantsPicture)
        if viewer.wantsPicture { coded.add(viewer) } else { coded.remove(viewer) }
        watchersDidChange()
    }

    func remove(_ viewer: any ViewerSink) {
        place(viewer, isWatching: false)
        state.withLock { $0.placement.forget(viewer.id) }
        coded.remove(viewer)
        sound.remove(viewer)
        watchersDidChange()
    }

    func viewerIsReady(_ viewer: any ViewerSink) { encode(of: viewer)?.viewerIsReady() }
    func viewerWantsKeyframe(_ viewer: any ViewerSink) { encode(of: viewer)?.requestKeyframe(for: viewer) }

    private func encode(of viewer: any ViewerSink) -> DefinitionEncode? {
        state.withLock { state in state.watching[viewer.id].flatMap { state.encodes[$0.definition] } }
    }

    /// With the state's lock held: what it asks for, as far as its link carries that.
    private func definition(for viewer: any ViewerSink, _ state: borrowing State) -> Definition {
        let asked = viewer.subscription.definition.flatMap { definitions.contains($0) ? $0 : nil }
        return state.placement.definition(for: viewer.id, asked: asked ?? settings.encode.definition, of: definitions)
    }

    /// To the encode of its definition, once the one that it leaves has let it go: no picture of the one is ever sent in
    /// the other's stream.
    private func place(_ viewer: any ViewerSink, isWatching: Bool) {
        let left = state.withLock { state -> DefinitionEncode? in
            guard !state.isStopped else { return nil }
            let wanted = isWatching ? definition(for: viewer, state) : nil
            let known = state.watching[viewer.id]?.definition
            state.watching[viewer.id] = wanted.map { (viewer, $0) }
            if let wanted { beginEncode(wanted, &state) }
            guard let known, known != wanted, let left = state.encodes[known] else { return nil }
            state.leaving[viewer.id, default: 0] += 1
            return left
        }
        guard let left else { return settle(viewer) }
        left.remove(viewer) { [self] in
            state.withLock { state in
                let others = state.leaving[viewer.id, default: 1] - 1
                state.leaving[viewer.id] = others > 0 ? others : nil
            }
            settle(viewer)
        }
    }

    private func settle(_ viewer: any ViewerSink) {
        let idle = state.withLock { state -> [DefinitionEncode] in
            guard !state.isStopped else { return [] }
            motion.follow(state.watching.values.map(\.definition).max())
            if state.leaving[viewer.id] == nil, let definition = state.watching[viewer.id]?.definition {
                state.encodes[definition]?.add(viewer)
            }
            guard !state.watching.isEmpty else { return [] }
            let watched = Set(state.watching.values.map(\.definition))
            let idle = state.encodes.filter { !watched.contains($0.key) }
            for (definition, encode) in idle {
                state.past.add(encode)
                state.encodes[definition] = nil
            }
            return Array(idle.values)
        }
        // What it is still told to do comes to nothing.
        for encode in idle { encode.forgetPictures() }
    }

    /// With the state's lock held. One that is new goes on where another is.
    private func beginEncode(_ definition: Definition, _ state: inout State) {
        guard state.encodes[definition] == nil, let settings = settings.encode.lowered(to: definition) else { return }
        let encode = makeEncode(settings)
        if let other = state.encodes.values.first { encode.follow(other) }
        if let frame = state.newest { encode.offer(frame) }
        state.newest = nil
        state.encodes[definition] = encode
    }

    private func makeEncode(_ encode: EncodeStage.Settings) -> DefinitionEncode {
        DefinitionEncode(
            encode, choice: choice, load: settings.relief.load(encode), clock: clock, report: events.report,
            events: DefinitionEncode.Events(
                sizeDidChange: events.sizeDidChange,
                didOffer: { [weak self, motion] picture, time in
                    if let found = motion.look(at: picture, time: time, of: encode.definition) { self?.tell(found) }
                },
                linkTakes: { [weak self] in
                    self?.link(of: $0, takes: $1, of: encode.definition, nominal: $2, isShared: $3)
                }))
    }

    /// A link that takes too little of what others get has a definition of its own.
    private func link(
        of id: UInt64, takes wanted: Int, of definition: Definition, nominal: Int, isShared: Bool
    ) {
        let moved = state.withLock { state -> (viewer: any ViewerSink, move: LinkPlacement.Move)? in
            guard let known = state.watching[id], known.definition == definition else { return nil }
            return state.placement.update(
                id, wanted: wanted, nominal: nominal, isShared: isShared, canGoDown: definition != definitions.first,
                at: clock.now
            ).map { (known.viewer, $0) }
        }
        guard let moved else { return }
        place(moved.viewer, isWatching: moved.viewer.wantsPicture)
        let now = state.withLock { $0.watching[id]?.definition } ?? definition
        let name = moved.viewer.peerName
        switch moved.move {
        case .down: events.report("the link to \(name) carries little: it is sent \(now.rawValue)")
        case .up: events.report("the link to \(name) carries more again: it is sent \(now.rawValue)")
        }
    }

    // MARK: Sources that open late

    private func watchersDidChange() {
        let now = clock.now
        let hasListeners = sound.hasListeners
        let areWatching = state.withLock { state in
            let areWatching = !state.watching.isEmpty || hasListeners
            state.nobodySince = areWatching ? nil : state.nobodySince ?? now
            return areWatching
        }
        sourceQueue.async { [self] in
            for source in sources { source.watchersDidChange(areWatching: areWatching) }
            if areWatching { openSources() }
        }
        guard !areWatching else { return }
        sourceQueue.asyncAfter(deadline: .now() + .microseconds(Int(settings.linger.count))) { [weak self] in
            self?.closeSources()
        }
    }

    private func openSources() {
        // Not with the lock held, which pictures take while they pass the gate. Whoever shuts it now closes on this queue,
        // after this, what is opened here.
        guard !gate.isShut else { return }
        let opens = state.withLock { state in
            guard !state.isStopped, !state.areSourcesOpen else { return false }
            state.areSourcesOpen = true
            return true
        }
        guard opens else { return }
        for source in sources where source.opensOnDemand {
            do throws(ProducerError) {
                try source.start(into: self)
            } catch {
                events.sourceDidFail(error)
            }
        }
    }

    private func closeSources() {
        let now = clock.now
        let closes = state.withLock { state in
            guard state.areSourcesOpen, let since = state.nobodySince, now - since >= settings.linger else {
                return false
            }
            state.areSourcesOpen = false
            return true
        }
        let closing = sources.filter(\.opensOnDemand)
        guard closes, !closing.isEmpty else { return }
        stopAll(closing)
        picturesAreOutOfDate()
    }

    // MARK: Privacy

    private static let placeholderInterval = DispatchTimeInterval.seconds(1)

    var isPaused: Bool { gate.isShut }

    /// From now on no picture and no sound goes to an encoder, and none that waits for one: viewers are sent a placeholder.
    /// Devices are closed, a pipe is read on; the camera's light may take a moment to go out.
    func pause() {
        guard let number = gate.shut() else { return }
        forgetPictures()
        showPlaceholder(number)
        sourceQueue.async { [self] in
            guard gate.isShut else { return }
            let wereOpen = state.withLock { state in
                defer { state.areSourcesOpen = false }
                return state.areSourcesOpen
            }
            if wereOpen { stopAll(sources.filter(\.opensOnDemand)) }
        }
    }

    /// Goes on where somebody watches: with a keyframe.
    func resume() {
        guard gate.open() else { return }
        cameraDidChange()
        watchersDidChange()
    }

    /// Again and again: whoever comes has something to see, and no studio takes the link for dead.
    private func showPlaceholder(_ number: Int) {
        let encode = settings.encode
        let isTurned = encode.rotation == .quarter || encode.rotation == .threeQuarters
        let box = encode.box ?? encode.definition.box
        let size = gate.size ?? (isTurned ? PixelSize(width: box.height, height: box.width) : box)
        let isShown = gate.passPlaceholder(number) {
            if let picture = try? PausePicture.frame(size, isTurned: isTurned, at: clock.now) { handOn(picture) }
        }
        guard isShown, !state.withLock({ $0.isStopped }) else { return }
        sourceQueue.asyncAfter(deadline: .now() + Self.placeholderInterval) { [weak self] in
            self?.showPlaceholder(number)
        }
    }

    // MARK: Figures

    /// No encode is at work.
    var areEncodesIdle: Bool { state.withLock { Array($0.encodes.values) }.allSatisfy { !$0.isAtWork } }

    /// Whether all that came has been sent, as far as somebody wanted it.
    var isIdle: Bool {
        state.withLock { Array($0.encodes.values) }.allSatisfy(\.isIdle)
    }

    var soundSamplesRequired: Int { sound.samplesRequired }

    var statistics: ProducerStatistics {
        var (statistics, encodes) = state.withLock { ($0.past, Array($0.encodes.values)) }
        statistics.passedPictures = coded.passedCount
        // All see the same pictures, and one that follows another counts on.
        statistics.correctedTimes = (encodes.map(\.correctedTimes).max() ?? 0) + coded.correctedTimes
        for encode in encodes {
            statistics.add(encode)
            statistics.bitsPerSecond = max(statistics.bitsPerSecond, encode.bitsPerSecond)
            if let times = encode.encodeTimes {
                statistics.encodeTime = max(statistics.encodeTime ?? .zero, times.median)
                statistics.encodeTimeP95 = max(statistics.encodeTimeP95 ?? .zero, times.p95)
            }
        }
        return statistics
    }
}

extension ProducerStatistics {
    /// What an encode has done.
    fileprivate mutating func add(_ encode: DefinitionEncode) {
        encodedPictures += encode.encodedCount
        for (cause, count) in encode.drops { drops[cause, default: 0] += count }
    }
}
