import CamoTypes
import Confinement
import Glibc

/// What runs on a camera's thread while its signal stays the same: wait, take a buffer, hand it over, until told to
/// stop or the camera has gone.
///
/// Used by its thread alone, but for `statistics`.
struct CaptureLoop {
    let buffers: CaptureBuffers
    let node: any VideoNode
    let format: CaptureFormat
    /// Changes of the signal are told as events.
    let tellsSourceChanges: Bool
    let stop: StopSignal
    let clock: any MonotonicClock
    let stallLimit: Microseconds
    let statistics: Locked<VideoCaptureStatistics>
    let onPicture: @Sendable (CapturedPicture) -> Void

    private var frameClock = FrameClock()
    private var lastSequence: UInt32?
    /// Where a picture comes in two fields that are not woven.
    private var assembly: FieldAssembly?
    /// Pictures are missing before the next one.
    private var hasLost = false
    private var failuresInARow = 0

    /// EIO may pass ("temporary problems like signal loss", the V4L2 manual on VIDIOC_DQBUF); so many in a row do not.
    private static let mostFailures = 3

    enum End {
        case stopped
        case sourceChanged
        case lost(DeviceError)
    }

    init(
        buffers: CaptureBuffers, node: any VideoNode, format: CaptureFormat, tellsSourceChanges: Bool,
        stop: StopSignal, clock: any MonotonicClock, stallLimit: Microseconds,
        statistics: Locked<VideoCaptureStatistics>,
        onPicture: @escaping @Sendable (CapturedPicture) -> Void
    ) {
        self.buffers = buffers
        self.node = node
        self.format = format
        self.tellsSourceChanges = tellsSourceChanges
        self.stop = stop
        self.clock = clock
        self.stallLimit = stallLimit
        self.statistics = statistics
        self.onPicture = onPicture
        assembly = FieldAssembly(format)
    }

    mutating func run() -> End {
        var lastSign = clock.now
        while true {
            let left = stallLimit.count - (clock.now - lastSign).count
            let readiness = node.wait(stop.wake, atMost: Microseconds(max(0, left)))
            if stop.isSet { return .stopped }
            if let error = buffers.failure { return .lost(lost(error)) }
            switch readiness {
            case .woken:
                stop.wake.reset()
                // Set between the look above and the reset: the signal is gone, the request is not.
                if stop.isSet { return .stopped }
            case .timedOut:
                if let error = stalled(since: lastSign) { return .lost(error) }
            case .ready:
                // First: what comes after it, errors too, belongs to a signal that is no more.
                if tellsSourceChanges, node.takeSourceChange() { return .sourceChanged }
                switch buffers.take() {
                case .nothingYet:
                    if let error = stalled(since: lastSign) { return .lost(error) }
                    // A driver that says "ready" and has nothing must not keep a processor busy.
                    _ = stop.wake.wait(atMost: .milliseconds(1))
                case .filled(let filled):
                    (lastSign, failuresInARow) = (clock.now, 0)
                    deliver(filled)
                case .failed(EIO) where failuresInARow < Self.mostFailures:
                    failuresInARow += 1
                case .failed(let error):
                    return .lost(lost(error))
                }
            }
        }
    }

    /// ENODEV after a disconnect, EINVAL after the driver was unbound, EIO when the hardware failed: all mean that
    /// nothing more comes.
    private func lost(_ error: Int32) -> DeviceError {
        DeviceError(.disconnected, device: node.path, systemError: error, "the camera has gone")
    }

    private func stalled(since lastSign: MonotonicTime) -> DeviceError? {
        guard clock.now - lastSign >= stallLimit else { return nil }
        return DeviceError(
            .stalled, device: node.path,
            "no picture for \(Int(stallLimit.inSeconds)) s; check its cable and that it has a signal")
    }

    private mutating func deliver(_ filled: CaptureBuffers.Filled) {
        let arrival = clock.now
        countMissed(upTo: filled.sequence)
        guard !filled.isDamaged else { return discard(filled, \.damaged) }
        guard !filled.isEmpty else { return discard(filled, \.empty) }
        let (time, wasDoubtful) = frameClock.time(stamp: filled.monotonicStamp, arrival: arrival)
        guard assembly == nil else { return assemble(filled, time, wasDoubtful) }
        let isLent = buffers.canLend
        let lease = BufferLease(of: filled, from: buffers, isCopy: !isLent)
        guard let picture = picture(lease, time) else {
            // The lease has given the buffer back.
            return statistics.withLock { $0.short += 1 }
        }
        statistics.withLock {
            $0.delivered += 1
            if !isLent { $0.copied += 1 }
            if wasDoubtful { $0.doubtfulStamps += 1 }
        }
        hasLost = false
        onPicture(picture)
    }

    /// Fields are copied into their frame, and their buffer goes back at once.
    private mutating func assemble(_ filled: CaptureBuffers.Filled, _ time: MonotonicTime, _ wasDoubtful: Bool) {
        let made = assembly?.take(filled, at: time)
        buffers.giveBack(filled.index)
        guard let made else { return statistics.withLock { $0.short += 1 } }
        statistics.withLock {
            $0.delivered += made.frames.count
            $0.halved += made.halves
            if wasDoubtful { $0.doubtfulStamps += 1 }
        }
        for frame in made.frames { onPicture(.frame(frame)) }
    }

    private func picture(_ lease: BufferLease, _ time: MonotonicTime) -> CapturedPicture? {
        guard let pixels = format.format.pixelFormat, let layout = format.layout else {
            return .compressed(
                CompressedFrame(
                    borrowing: lease.memories.first ?? UnsafeRawBufferPointer(start: nil, count: 0),
                    format: format.format, size: format.size, framesPerSecond: format.framesPerSecond ?? 30,
                    isAfterLoss: hasLost, color: format.color, presentationTime: time, release: lease.release))
        }
        guard let planes = layout.slices(of: lease.memories) else {
            lease.release()
            return nil
        }
        // Calls `release` before it throws, when the picture is not whole.
        let frame = try? VideoFrame(
            borrowing: planes, size: format.size, format: pixels, presentationTime: time, color: format.color,
            release: lease.release)
        return frame.map(CapturedPicture.frame)
    }

    private mutating func discard(
        _ filled: CaptureBuffers.Filled, _ count: WritableKeyPath<VideoCaptureStatistics, Int>
    ) {
        buffers.giveBack(filled.index)
        hasLost = true
        statistics.withLock { $0[keyPath: count] += 1 }
    }

    private mutating func countMissed(upTo sequence: UInt32) {
        defer { lastSequence = sequence }
        guard let lastSequence else { return }
        let step = sequence &- lastSequence
        // A step back or a huge one is a driver that began to count anew.
        guard step > 1, step < 10_000 else { return }
        hasLost = true
        statistics.withLock { $0.missed += Int(step) - 1 }
    }
}
