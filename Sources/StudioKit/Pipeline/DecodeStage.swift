internal import Confinement
internal import MediaCore

/// Decodes on a serial queue of its own: one hop from the link, and the picture is out.
///
/// Decodes nothing while nobody wants pictures, and lets the decoder's memory go. When decoding is behind, units are
/// left out up to the next keyframe.
final class DecodeStage: Sendable {
    private struct Inbox: Sendable {
        var backlog = UnitBacklog(.live)
        var isWanted = false
        /// A run of the queue is due that will see what was put in.
        var isAwake = false
    }

    /// Lives on the queue.
    private struct Decoding {
        var decoder: H264Decoder?
        var stream: Int?
        var meter = FrameRateMeter(declared: 30)
        var lastTimeStamp: MonotonicTime?

        /// Times that rise. The mapping of the clocks gets better with each measurement, so that a later picture's time
        /// can be a little before that of the one before; by more than a second, it is another time line.
        mutating func timeStamp(for time: MonotonicTime) -> MonotonicTime {
            var time = time
            if let last = lastTimeStamp, time <= last, last - time < .seconds(Int64(1)) {
                time = last + Microseconds(1)
            }
            lastTimeStamp = time
            return time
        }
    }

    private let clock: any MonotonicClock
    private let counts: Locked<PipelineCounts>
    private let inbox = Locked(Inbox())
    private let decoding = Confined("camo.studio.decode", Decoding())
    private let onPicture: @Sendable (ReceivedFrame) -> Void
    private let onNeedsKeyframe: @Sendable () -> Void

    /// - Parameters:
    ///   - onPicture: called on the decoder's queue.
    ///   - onNeedsKeyframe: called on any queue; often, when several units in a row are of no use.
    init(
        clock: any MonotonicClock, counts: Locked<PipelineCounts>,
        onPicture: @escaping @Sendable (ReceivedFrame) -> Void, onNeedsKeyframe: @escaping @Sendable () -> Void
    ) {
        self.clock = clock
        self.counts = counts
        self.onPicture = onPicture
        self.onNeedsKeyframe = onNeedsKeyframe
    }

    /// Whether there is anybody to decode for.
    func setWanted(_ isWanted: Bool) {
        let begins = inbox.withLock { inbox in
            guard inbox.isWanted != isWanted else { return false }
            inbox.isWanted = isWanted
            inbox.backlog.reset()
            return isWanted
        }
        if begins {
            onNeedsKeyframe()
        } else {
            decoding.async { [inbox] decoding in
                // Unless it is wanted again by now.
                if !inbox.withLock({ $0.isWanted }) { decoding.decoder = nil }
            }
        }
    }

    /// Any thread; returns at once.
    func receive(_ unit: PictureUnit) {
        let (needsKeyframe, wakes) = inbox.withLock { inbox -> (Bool, Bool) in
            guard inbox.isWanted else { return (false, false) }
            let before = (inbox.backlog.skippedCount, inbox.backlog.waitedCount)
            let admission = inbox.backlog.append(unit)
            let skipped = inbox.backlog.skippedCount - before.0
            let waited = inbox.backlog.waitedCount - before.1
            if skipped > 0 || waited > 0 {
                counts.withLock { counts in
                    counts.skippedBehind += UInt64(skipped)
                    counts.skippedWaiting += UInt64(waited)
                }
            }
            defer { if admission == .kept { inbox.isAwake = true } }
            return (admission == .needsKeyframe, admission == .kept && !inbox.isAwake)
        }
        if needsKeyframe { onNeedsKeyframe() }
        if wakes { decoding.async { [self] decoding in drain(&decoding) } }
    }

    /// Returns when everything received before is decoded. Not on the decoder's queue.
    func waitUntilIdle() { decoding.sync { _ in } }

    private func drain(_ decoding: inout Decoding) {
        while let unit = nextUnit() { decode(unit, &decoding) }
    }

    private func nextUnit() -> PictureUnit? {
        inbox.withLock { inbox in
            let unit = inbox.backlog.popFirst()
            inbox.isAwake = unit != nil
            return unit
        }
    }

    private func decode(_ unit: PictureUnit, _ decoding: inout Decoding) {
        do throws(MediaError) {
            if decoding.decoder == nil || decoding.stream != unit.stream {
                decoding.decoder = nil
                decoding.decoder = try H264Decoder(expecting: unit.format)
                decoding.stream = unit.stream
                decoding.meter = FrameRateMeter(declared: unit.format.framesPerSecond)
            }
        } catch {
            failed(error)
            return
        }
        switch decoding.decoder?.decode(unit.unit) {
        case .picture(let picture): show(picture, of: unit, &decoding)
        case .waitingForKeyframe, nil:
            counts.withLock { $0.skippedWaiting += 1 }
            onNeedsKeyframe()
        case .broken(let error), .refused(let error): failed(error)
        }
    }

    private func show(_ picture: VideoFrame, of unit: PictureUnit, _ decoding: inout Decoding) {
        decoding.meter.pictureArrived(at: unit.unit.presentationTime)
        var picture = picture
        let timeStamp = decoding.timeStamp(for: unit.received.localTime)
        picture.presentationTime = timeStamp
        picture.cameraParameters = unit.camera
        let info = VideoFrameInfo(
            size: picture.size, framesPerSecond: decoding.meter.framesPerSecond, timeStamp: timeStamp,
            duration: decoding.meter.duration, delay: clock.now - unit.received.localTime,
            isRepeat: unit.unit.isRepeat, progress: unit.place?.progress, totalDuration: unit.place?.duration)
        // First: who has the picture finds it counted.
        counts.withLock { counts in
            counts.decoded += 1
            counts.rate = info.framesPerSecond
            counts.size = info.size
            counts.delays.append(info.delay)
        }
        onPicture(ReceivedFrame(picture: picture, info: info))
    }

    private func failed(_ error: MediaError) {
        counts.withLock { counts in
            counts.broken += 1
            counts.lastError = error.description
        }
        onNeedsKeyframe()
    }
}
