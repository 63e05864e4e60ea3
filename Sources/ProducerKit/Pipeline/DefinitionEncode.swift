internal import Confinement
internal import Dispatch
internal import MediaCore
internal import TransportCore
internal import WireProtocol

/// One encode of the source, shared by all who watch it: the newest picture in, access units to its viewers.
///
/// The picture waits in a slot of one; the source's thread wakes this encode's queue, where it is converted, encoded
/// and offered: one hop. A picture is encoded only if some viewer has its last one out, so that nothing is encoded to
/// be thrown away.
final class DefinitionEncode: Sendable {
    let definition: Definition
    private let clock: any MonotonicClock
    private let report: @Sendable (String) -> Void
    private let events: Events
    /// As configured, while links carry what it takes.
    private let box: PixelSize?
    private let slot: Locked<Slot>
    private let work: Confined<Work>

    /// What an encode tells; on its queue.
    struct Events: Sendable {
        /// What viewers are sent is of another definition or size.
        var sizeDidChange: @Sendable () -> Void
        /// A picture was offered, as it was encoded.
        var didOffer: @Sendable (_ picture: VideoFrame, _ time: MonotonicTime) -> Void = { _, _ in }
        /// What a viewer's link can take, of what the encode would send, both in bits per second, and whether others
        /// watch too. Four times a second.
        var linkTakes: @Sendable (_ viewer: UInt64, _ wanted: Int, _ nominal: Int, _ isShared: Bool) -> Void
    }

    /// What the source's thread and the links touch.
    private struct Slot {
        var picture: WaitingPicture?
        var newest = NewestPicture()
        var clock = PictureClock()
        var economy: PictureEconomy
        /// A turn of the work queue is on its way, or at work.
        var isScheduled = false
        var viewers: [any ViewerSink] = []
        var drops = DropCounters()
        /// Pictures that waited in vain for a link since rate control last looked.
        var linkSkips = 0
        var encoded: UInt64 = 0
        var isClosed = false
    }

    /// What belongs to the encode's queue.
    private struct Work {
        var stage: EncodeStage
        var number: UInt32 = 0
        /// The format that each viewer was told.
        var told: [UInt64: VideoStreamFormat] = [:]
        var rate: SharedRate
        var needs = KeyframeNeeds()
        /// A look at a source that may stand still is on its way.
        var isRepeatScheduled = false
        var hasFailed = false
        var times = EncodeTimes()
        /// What viewers are told once a second.
        var period = CountPeriod()
        var load: EncodeLoad
        /// As far as this machine can do it.
        var possible: Definition
    }

    init(
        _ settings: EncodeStage.Settings, choice: EncoderChoice, load: EncodeLoad, clock: any MonotonicClock,
        report: @escaping @Sendable (String) -> Void, events: Events
    ) {
        definition = settings.definition
        box = settings.box
        self.clock = clock
        self.report = report
        self.events = events
        slot = Locked(
            Slot(economy: PictureEconomy(nominal: settings.bitsPerSecond, definition: settings.definition)))
        work = Confined(
            "encode \(settings.definition.rawValue)",
            Work(
                stage: EncodeStage(settings, choice: choice), rate: SharedRate(nominal: settings.bitsPerSecond),
                load: load, possible: settings.definition))
    }

    /// Begins where another encode of the same source is: with its newest picture, should none follow, and later than
    /// all that it has sent. Before anything else.
    func follow(_ other: DefinitionEncode) {
        let (newest, clock) = other.slot.withLock { ($0.newest, $0.clock) }
        slot.withLock { ($0.newest, $0.clock) = (newest, clock) }
    }

    // MARK: Pictures in; any thread

    /// The newest picture; one that still waits makes room for it.
    func offer(_ frame: VideoFrame) {
        let now = clock.now
        var isSpared = false
        let wakes = slot.withLock { slot -> Bool in
            guard !slot.isClosed else { return false }
            let stamp = slot.clock.stamp(frame.presentationTime, arrival: now)
            let isReady = slot.viewers.contains { $0.isReadyForPicture }
            let replaced = slot.picture != nil
            let picture = slot.newest.came(frame, stamp, at: now)
            // One that waits is replaced all the same.
            if !replaced, slot.viewers.contains(where: { $0.wantsPicture }), !slot.economy.takesNext() {
                slot.newest.isSpared(picture)
                slot.drops.count(.spared)
                isSpared = true
                return false
            }
            slot.picture = picture
            if !slot.viewers.contains(where: { $0.wantsPicture }) {
                slot.drops.count(.nobodyWatches)
                // Nobody is coming for it; a viewer that joins gets the next one, or this one if none comes.
                return false
            }
            if replaced {
                slot.drops.count(slot.isScheduled ? .encoderBusy : .linkBehind)
                if !slot.isScheduled { slot.linkSkips += 1 }
            }
            guard isReady, !slot.isScheduled else { return false }
            slot.isScheduled = true
            return true
        }
        if wakes { work.async { [self] in drain(&$0) } }
        if isSpared {
            work.async(after: .microseconds(Int(NewestPicture.stillness.count))) { [weak self] _ in
                self?.sendSpared()
            }
        }
    }

    /// The source stands still upon a picture that was left out.
    private func sendSpared() {
        let now = clock.now
        slot.withLock { slot in
            if let spared = slot.newest.takeSpared(at: now) { slot.picture = spared }
        }
        viewerIsReady()
    }

    /// Some viewer can take a picture: one that waits is encoded now.
    func viewerIsReady() {
        let wakes = slot.withLock { slot in
            guard slot.picture != nil, !slot.isScheduled, !slot.isClosed else { return false }
            slot.isScheduled = true
            return true
        }
        if wakes { work.async { [self] in drain(&$0) } }
    }

    // MARK: Viewers; any thread

    func add(_ viewer: any ViewerSink) {
        slot.withLock { slot in
            if !slot.viewers.contains(where: { $0.id == viewer.id }) { slot.viewers.append(viewer) }
        }
        requestKeyframe(for: viewer)
    }

    /// - Parameter completion: On the encode's queue, when nothing is offered to the viewer any more.
    func remove(_ viewer: any ViewerSink, completion: @escaping @Sendable () -> Void) {
        slot.withLock { slot in slot.viewers.removeAll { $0.id == viewer.id } }
        work.async { [self] work in
            defer { completion() }
            if work.told.removeValue(forKey: viewer.id) != nil { viewer.endPicture() }
            work.rate.forget(viewer.id)
            work.needs.forget(viewer.id)
            // Nobody watches: the encoder and its memory go.
            if slot.withLock({ $0.viewers.isEmpty }) { work.stage.close() }
        }
    }

    /// A viewer cannot go on without a keyframe (``KeyframeNeeds``).
    func requestKeyframe(for viewer: any ViewerSink) {
        work.async { [self] work in
            guard slot.withLock({ $0.viewers.contains { $0.id == viewer.id } }) else { return }
            work.needs.needed(by: viewer.id)
            scheduleRepeat(&work)
        }
        viewerIsReady()
    }

    /// The picture jumps: it is another camera's. All who watch get a keyframe.
    func requestKeyframes() {
        work.async { [self] work in
            for viewer in slot.withLock({ $0.viewers }) where viewer.wantsPicture { work.needs.needed(by: viewer.id) }
            if !work.needs.isEmpty { scheduleRepeat(&work) }
        }
    }

    /// What the source has delivered is out of date: it was closed.
    func forgetPictures() {
        slot.withLock { slot in
            slot.picture = nil
            slot.newest.forget()
        }
    }

    /// The source sends coded pictures now, which pass by here: nothing is shown once more, and should pictures come
    /// again, viewers are told anew.
    func leaveStreams() {
        forgetPictures()
        work.async { work in
            work.told = [:]
            work.stage.close()
        }
    }

    /// A turn of the encode's queue is on its way, or at work.
    var isAtWork: Bool { slot.withLock { $0.isScheduled } }

    /// Whether all pictures that came have been encoded and sent, as far as somebody wanted them.
    var isIdle: Bool {
        slot.withLock { slot in
            let watching = slot.viewers.filter(\.wantsPicture)
            return watching.isEmpty
                || slot.picture == nil && !slot.isScheduled && watching.allSatisfy { $0.isReadyForPicture }
        }
    }

    var drops: [DropCause: UInt64] { slot.withLock { $0.drops.counts } }
    var encodedCount: UInt64 { slot.withLock { $0.encoded } }
    /// Times that a caller had wrong, and that were moved.
    var correctedTimes: UInt64 { slot.withLock { UInt64($0.clock.corrections) } }
    var bitsPerSecond: Int { work.sync { $0.stage.settings.bitsPerSecond } }
    /// Median and 95th percentile of the time from taking a picture up to having offered it.
    var encodeTimes: (median: Microseconds, p95: Microseconds)? { work.sync { $0.times.percentiles } }

    /// Takes no more pictures; returns when the one at hand is done.
    func close() {
        slot.withLock { slot in
            slot.isClosed = true
            slot.picture = nil
            slot.newest.forget()
            slot.viewers = []
        }
        work.sync { $0.stage.close() }
    }

    // MARK: The encode's queue

    /// A picture in the encoder's layout, and what there is to know for encoding it.
    private struct Turn {
        var picture: VideoFrame
        var time: MonotonicTime
        var isDiscontinuity = false
        var isRepeat = false
        var viewers: [any ViewerSink]
        var start: MonotonicTime
    }

    private func drain(_ work: inout Work) {
        while let turn = nextTurn(&work) { encode(turn, &work) }
    }

    /// Converts the picture that waits. The frame as it came is let go here: its buffer is free while this one is
    /// encoded.
    private func nextTurn(_ work: inout Work) -> Turn? {
        while let (waiting, viewers) = takePicture() {
            let start = clock.now
            do throws(MediaError) {
                let picture = try convert(waiting.frame, work)
                slot.withLock { $0.newest.isConverted(waiting, to: picture) }
                return Turn(
                    picture: picture, time: waiting.stamp.time, isDiscontinuity: waiting.stamp.isDiscontinuity,
                    viewers: viewers, start: start)
            } catch { failed(error, &work) }
        }
        return nil
    }

    /// In the encoder's layout, with how the camera saw it, turned as the picture is.
    private func convert(_ frame: VideoFrame, _ work: borrowing Work) throws(MediaError) -> VideoFrame {
        var picture = try work.stage.convert(frame)
        let camera = frame.cameraParameters
        picture.cameraParameters = work.stage.settings.rotation.swapsSides ? camera?.turned : camera
        return picture
    }

    /// One that is converted may be of another definition's size.
    private func rescale(_ converted: VideoFrame, _ work: borrowing Work) throws(MediaError) -> VideoFrame {
        var picture = try work.stage.rescale(converted)
        picture.cameraParameters = converted.cameraParameters
        return picture
    }

    /// The picture that waits, if somebody can take it; else the turn is over.
    private func takePicture() -> (WaitingPicture, [any ViewerSink])? {
        slot.withLock { slot in
            guard let picture = slot.picture, !slot.isClosed, slot.viewers.contains(where: { $0.isReadyForPicture })
            else {
                slot.isScheduled = false
                return nil
            }
            slot.picture = nil
            return (picture, slot.viewers)
        }
    }

    private func encode(_ turn: Turn, _ work: inout Work) {
        updateRate(turn.viewers, at: turn.start, &work)
        if isKeyframeDue(turn.viewers, at: turn.start, work) { work.stage.requestKeyframe() }
        do throws(MediaError) {
            if turn.isDiscontinuity { work.stage.beginAnew() }
            var output = try work.stage.encode(converted: turn.picture, at: turn.time, clockTime: turn.start)
            output.unit.isRepeat = turn.isRepeat
            output.unit.isDiscontinuity = turn.isDiscontinuity
            work.hasFailed = false
            offer(output.unit, turn.picture.cameraParameters, to: turn.viewers, &work)
            slot.withLock { $0.encoded += 1 }
            if !turn.isRepeat { events.didOffer(turn.picture, turn.time) }
        } catch { failed(error, &work) }
        let end = clock.now
        work.times.add(end - turn.start)
        if let line = slot.withLock({ $0.drops.line(at: end) }) { report(line) }
    }

    private func failed(_ error: MediaError, _ work: inout Work) {
        slot.withLock { $0.drops.count(.encoderFailed) }
        if !work.hasFailed { report("cannot encode: \(error)") }
        work.hasFailed = true
        work.stage.close()
    }

    private func offer(
        _ unit: AccessUnit, _ camera: CameraParameters?, to viewers: [any ViewerSink], _ work: inout Work
    ) {
        guard let format = work.stage.format else { return }
        let number = work.number
        work.number &+= 1
        var isOther = false
        for viewer in viewers where viewer.wantsPicture {
            if work.told[viewer.id] != format {
                let told = work.told[viewer.id]
                if told?.definition != format.definition || told?.size != format.size { isOther = true }
                work.told[viewer.id] = format
                viewer.beginPicture(format)
            }
            // A link that is behind hears of it with its next picture, or what is told would pile up.
            if viewer.isReadyForPicture { viewer.tellCamera(camera, since: unit.presentationTime) }
            switch viewer.offerPicture(unit, number: number) {
            case .sent: if unit.isKeyframe { work.needs.met(for: viewer.id, at: clock.now) }
            case .notWatching: break
            case .waitingForKeyframe: work.needs.needed(by: viewer.id)
            // When it has room it says so, and that it needs a keyframe.
            case .behind: work.rate.skipped(by: viewer.id)
            }
        }
        if isOther { events.sizeDidChange() }
    }

    private func isKeyframeDue(_ viewers: [any ViewerSink], at now: MonotonicTime, _ work: borrowing Work) -> Bool {
        work.needs.isDue(at: now) { id, room in
            guard let viewer = viewers.first(where: { $0.id == id }), viewer.isReadyForPicture else { return false }
            return room == .forOne || (viewer.metrics.unsentBytes ?? 0) == 0
        }
    }

    /// Four times a second: what each link can take decides the rate of all, and what is spared beyond it.
    private func updateRate(_ viewers: [any ViewerSink], at now: MonotonicTime, _ work: inout Work) {
        guard work.rate.isDue(at: now) else { return }
        let unencoded = slot.withLock { slot in
            defer { slot.linkSkips = 0 }
            return slot.linkSkips
        }
        let seen = viewers.filter(\.wantsPicture).map(SharedRate.Observation.init)
        let rate = work.rate.update(seen, unencoded: unencoded, at: now)
        tellStatistics(viewers.filter(\.wantsPicture), at: now, &work)
        for viewer in seen.map(\.viewer) {
            events.linkTakes(viewer, work.rate.wanted(by: viewer), work.rate.nominal, seen.count > 1)
        }
        if rate != work.stage.settings.bitsPerSecond { work.stage.setBitRate(rate) }
        let (arrivals, wanted, remark) = slot.withLock { slot in
            let isOther = slot.economy.update(bitsPerSecond: rate, at: now)
            return (slot.newest.count, slot.economy.definition, isOther ? slot.economy.description : nil)
        }
        let relief = relief(arrivals, at: now, &work)
        guard remark != nil || relief != nil else { return }
        let lower = min(wanted, work.possible)
        let fits = lower == definition || box.map { $0.area < lower.box.area } ?? false
        work.stage.setDefinition(lower, box: fits ? box : nil)
        for line in [remark, relief?.description] { if let line { report(line) } }
    }

    /// Once a second: how things are here, to all who watch.
    private func tellStatistics(_ viewers: [any ViewerSink], at now: MonotonicTime, _ work: inout Work) {
        let counts = slot.withLock { slot in
            CountPeriod.Counts(captured: slot.newest.count, encoded: slot.encoded, drops: slot.drops.counts)
        }
        guard let (length, news) = work.period.update(counts, at: now) else { return }
        var statistics = Statistics(
            periodMicroseconds: length.count, framesCaptured: Int64(clamping: news.captured),
            framesEncoded: Int64(clamping: news.encoded), targetBitsPerSecond: Int64(work.stage.settings.bitsPerSecond),
            encodeMicroseconds: work.times.percentiles?.median.count, viewers: Int64(viewers.count))
        for (cause, count) in news.drops { statistics.framesDropped[cause.rawValue] = Int64(clamping: count) }
        for viewer in viewers where viewer.isReadyForPicture {
            let metrics = viewer.metrics
            statistics.roundTripMicroseconds = metrics.roundTrip?.count
            statistics.unsentBytes = metrics.unsentBytes.map(Int64.init)
            viewer.tell(statistics)
        }
    }

    /// What is done about a machine that is too slow.
    private func relief(_ arrivals: UInt64, at now: MonotonicTime, _ work: inout Work) -> EncodeLoad.Step? {
        let (size, heedsPresets) = (work.stage.format?.size, work.stage.heedsPresets)
        let step = work.load.update(slowest: work.times.settledP95, arrivals: arrivals, at: now) { step in
            switch step {
            case .preset: heedsPresets
            case .definition(let definition): size.map { definition.box.area < $0.area } ?? false
            }
        }
        guard let step else { return nil }
        work.times = EncodeTimes()
        switch step {
        case .preset(let preset): work.stage.setPreset(preset)
        case .definition(let definition): work.possible = definition
        }
        return step
    }

    // MARK: A source that stands still

    /// A keyframe was not possible yet: too soon after the last one, or the link is not ready.
    private static let retryInterval = Microseconds.milliseconds(100)

    /// A keyframe is needed: if the source has nothing new to make it of, its last picture is sent once more.
    private func scheduleRepeat(_ work: inout Work) {
        guard !work.isRepeatScheduled else { return }
        work.isRepeatScheduled = true
        let now = clock.now
        let isStill = slot.withLock { $0.newest.isStill(at: now) }
        self.work.async(after: .microseconds(isStill ? 0 : Int(NewestPicture.patience.count))) { [weak self] in
            self?.repeatIfStill(&$0)
        }
    }

    private func repeatIfStill(_ work: inout Work) {
        work.isRepeatScheduled = false
        guard !work.needs.isEmpty else { return }
        let now = clock.now
        // One that waits is as good, and newer.
        let (newest, viewers) = slot.withLock { slot -> ((VideoFrame, Bool)?, [any ViewerSink]) in
            guard slot.picture == nil, !slot.isClosed, slot.viewers.contains(where: { $0.isReadyForPicture })
            else { return (nil, slot.viewers) }
            return (slot.newest.toRepeat(at: now), slot.viewers)
        }
        if let (frame, isConverted) = newest, isKeyframeDue(viewers, at: now, work),
            work.stage.canMakeKeyframe(at: now), let time = slot.withLock({ $0.clock.stampOfRepeat() })
        {
            do throws(MediaError) {
                let picture = isConverted ? try rescale(frame, work) : try convert(frame, work)
                encode(Turn(picture: picture, time: time, isRepeat: true, viewers: viewers, start: now), &work)
            } catch { failed(error, &work) }
        } else {
            viewerIsReady()
        }
        guard !work.needs.isEmpty, slot.withLock({ !$0.isClosed && $0.viewers.contains { $0.wantsPicture } }) else {
            return
        }
        work.isRepeatScheduled = true
        self.work.async(after: .microseconds(Int(Self.retryInterval.count))) { [weak self] in self?.repeatIfStill(&$0) }
    }
}

extension SharedRate.Observation {
    fileprivate init(_ viewer: any ViewerSink) {
        let metrics = viewer.metrics
        self.init(
            viewer: viewer.id, pictureAge: metrics.pictureAge, roundTrip: metrics.roundTrip,
            leastRoundTrip: metrics.leastRoundTrip, deliveryBitsPerSecond: metrics.deliveryBitsPerSecond)
    }
}
