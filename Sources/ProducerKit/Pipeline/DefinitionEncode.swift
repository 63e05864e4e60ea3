internal import Confinement
internal import Dispatch
internal import MediaCore
internal import TransportCore

/// One encode of the source, shared by all who watch it: the newest picture in, access units to its viewers.
///
/// The picture waits in a slot of one; the source's thread wakes this encode's queue, where it is converted, encoded
/// and offered: one hop. A picture is encoded only if some viewer has its last one out, so that nothing is encoded to
/// be thrown away.
final class DefinitionEncode: Sendable {
    let definition: Definition
    private let clock: any MonotonicClock
    private let report: @Sendable (String) -> Void
    private let slot = Locked(Slot())
    private let work: Confined<Work>

    /// What the source's thread and the links touch.
    private struct Slot {
        var picture: (frame: VideoFrame, stamp: PictureClock.Stamp)?
        var clock = PictureClock()
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
        var rates: [UInt64: RateController] = [:]
        var skips: [UInt64: Int] = [:]
        let nominal: Int
        var lastRateUpdate: MonotonicTime?
        /// For repeating a still source.
        var lastPicture: VideoFrame?
        var owesKeyframe = false
        var hasFailed = false
        var times = EncodeTimes()
    }

    init(
        _ settings: EncodeStage.Settings, encoder: any VideoEncoder.Type, clock: any MonotonicClock,
        report: @escaping @Sendable (String) -> Void
    ) {
        definition = settings.definition
        self.clock = clock
        self.report = report
        work = Confined(
            "encode \(settings.definition.rawValue)",
            Work(stage: EncodeStage(settings, encoder: encoder), nominal: settings.bitsPerSecond))
    }

    // MARK: Pictures in; any thread

    /// The newest picture; one that still waits makes room for it.
    func offer(_ frame: VideoFrame) {
        let now = clock.now
        let wakes = slot.withLock { slot -> Bool in
            guard !slot.isClosed else { return false }
            let stamp = slot.clock.stamp(frame.presentationTime, arrival: now)
            let isReady = slot.viewers.contains { $0.isReadyForPicture }
            let replaced = slot.picture != nil
            slot.picture = (frame, stamp)
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
        requestKeyframe()
    }

    func remove(_ viewer: any ViewerSink) {
        let isLast = slot.withLock { slot in
            slot.viewers.removeAll { $0.id == viewer.id }
            return slot.viewers.isEmpty
        }
        work.async { [self] work in
            if work.told.removeValue(forKey: viewer.id) != nil { viewer.endPicture() }
            work.rates[viewer.id] = nil
            work.skips[viewer.id] = nil
            // Nobody watches: the encoder and its memory go.
            if isLast, slot.withLock({ $0.viewers.isEmpty }) {
                work.stage.close()
                work.lastPicture = nil
            }
        }
    }

    /// A viewer cannot go on without a keyframe. Requests merge: at most one keyframe in half a second is made.
    func requestKeyframe() {
        work.async { [self] work in
            work.stage.requestKeyframe()
            guard !work.owesKeyframe else { return }
            work.owesKeyframe = true
            // A source that stands still has nothing new to make a keyframe of.
            self.work.async(after: .milliseconds(40)) { [weak self] in self?.repeatIfStill(&$0) }
        }
        viewerIsReady()
    }

    var drops: [DropCause: UInt64] { slot.withLock { $0.drops.counts } }
    var encodedCount: UInt64 { slot.withLock { $0.encoded } }
    var bitsPerSecond: Int { work.sync { $0.stage.settings.bitsPerSecond } }
    /// Median and 95th percentile of the time from taking a picture up to having offered it.
    var encodeTimes: (median: Microseconds, p95: Microseconds)? { work.sync { $0.times.percentiles } }

    /// Takes no more pictures; returns when the one at hand is done.
    func close() {
        slot.withLock { slot in
            slot.isClosed = true
            slot.picture = nil
        }
        work.sync { work in
            work.stage.close()
            work.lastPicture = nil
        }
    }

    // MARK: The encode's queue

    private func drain(_ work: inout Work) {
        while let (frame, stamp, viewers) = takePicture() {
            encode(frame, at: stamp.time, isDiscontinuity: stamp.isDiscontinuity, isRepeat: false, to: viewers, &work)
        }
    }

    /// The picture that waits, if somebody can take it; else the turn is over.
    private func takePicture() -> (VideoFrame, PictureClock.Stamp, [any ViewerSink])? {
        slot.withLock { slot in
            guard let (frame, stamp) = slot.picture, !slot.isClosed,
                slot.viewers.contains(where: { $0.isReadyForPicture })
            else {
                slot.isScheduled = false
                return nil
            }
            slot.picture = nil
            return (frame, stamp, slot.viewers)
        }
    }

    private func encode(
        _ frame: VideoFrame, at time: MonotonicTime, isDiscontinuity: Bool, isRepeat: Bool,
        to viewers: [any ViewerSink], _ work: inout Work
    ) {
        let start = clock.now
        updateRate(viewers, at: start, &work)
        if isDiscontinuity { work.stage.requestKeyframe() }
        do throws(MediaError) {
            var output = try work.stage.encode(frame, at: time)
            output.unit.isRepeat = isRepeat
            output.unit.isDiscontinuity = isDiscontinuity
            work.lastPicture = output.picture
            if output.unit.isKeyframe { work.owesKeyframe = false }
            work.hasFailed = false
            offer(output.unit, to: viewers, &work)
            slot.withLock { $0.encoded += 1 }
        } catch {
            slot.withLock { $0.drops.count(.encoderFailed) }
            if !work.hasFailed { report("cannot encode: \(error)") }
            work.hasFailed = true
            work.stage.close()
        }
        let end = clock.now
        work.times.add(end - start)
        if let line = slot.withLock({ $0.drops.line(at: end) }) { report(line) }
    }

    private func offer(_ unit: AccessUnit, to viewers: [any ViewerSink], _ work: inout Work) {
        guard let format = work.stage.format else { return }
        let number = work.number
        work.number &+= 1
        for viewer in viewers where viewer.wantsPicture {
            if work.told[viewer.id] != format {
                work.told[viewer.id] = format
                viewer.beginPicture(format)
            }
            switch viewer.offerPicture(unit, number: number) {
            case .sent, .notWatching: break
            // It has room now, or will say so: then it needs a keyframe.
            case .waitingForKeyframe: work.stage.requestKeyframe()
            case .behind: work.skips[viewer.id, default: 0] += 1
            }
        }
    }

    /// Four times a second: what each link can take decides the rate of all.
    private func updateRate(_ viewers: [any ViewerSink], at now: MonotonicTime, _ work: inout Work) {
        if let last = work.lastRateUpdate, now - last < .milliseconds(250) { return }
        work.lastRateUpdate = now
        let waiting = slot.withLock { slot in
            defer { slot.linkSkips = 0 }
            return slot.linkSkips
        }
        let wanted = viewers.filter(\.wantsPicture).map { viewer in
            let metrics = viewer.metrics
            var rate = work.rates[viewer.id] ?? RateController(nominal: work.nominal)
            defer { work.rates[viewer.id] = rate }
            let skipped = work.skips.removeValue(forKey: viewer.id) ?? 0
            return rate.update(
                RateController.Sample(
                    time: now, pictureAge: metrics.pictureAge, skipped: skipped + waiting,
                    roundTrip: metrics.roundTrip, leastRoundTrip: metrics.leastRoundTrip,
                    deliveryBitsPerSecond: metrics.deliveryBitsPerSecond))
        }
        let rate = RateController.shared(wanted, nominal: work.nominal)
        if rate != work.stage.settings.bitsPerSecond { work.stage.setBitRate(rate) }
    }

    /// A keyframe is owed and no picture has come: the last one is sent once more.
    private func repeatIfStill(_ work: inout Work) {
        guard work.owesKeyframe, let picture = work.lastPicture else {
            work.owesKeyframe = false
            return
        }
        let (time, viewers) = slot.withLock { slot -> (MonotonicTime?, [any ViewerSink]) in
            // One that waits is as good, and newer.
            guard slot.picture == nil, !slot.isClosed else { return (nil, []) }
            let ready = slot.viewers.filter { $0.isReadyForPicture }
            return (ready.isEmpty ? nil : slot.clock.stampOfRepeat(), slot.viewers)
        }
        guard let time else {
            work.owesKeyframe = false
            return viewerIsReady()
        }
        work.stage.requestKeyframe()
        encode(picture, at: time, isDiscontinuity: false, isRepeat: true, to: viewers, &work)
        guard work.owesKeyframe else { return }
        // Too soon after the last keyframe: once more when it may be.
        self.work.async(after: .milliseconds(100)) { [weak self] in self?.repeatIfStill(&$0) }
    }
}
