import CamoTypes
import Confinement
import Glibc

/// What runs on a sound device's thread: wait, read, hand over, begin again after interruptions, until told to stop or
/// the device has gone.
///
/// Used by its thread alone, but for `statistics`.
struct SoundLoop {
    let node: any SoundNode
    let agreement: SoundAgreement
    let stop: StopSignal
    let clock: any MonotonicClock
    let stallLimit: Microseconds
    let statistics: Locked<SoundCaptureStatistics>
    let onFrame: @Sendable (AudioFrame) -> Void
    let onEvent: @Sendable (SoundCaptureEvent) -> Void

    private var timeline: SoundTimeline
    private var lastSign: MonotonicTime
    private var interruption: SoundInterruption?
    private var failuresInARow = 0

    /// Restarts without a sample in between; more of them will not help.
    private static let mostFailures = 5
    /// A device stamp further from now than this is of another clock.
    private static let mostStampAge = Microseconds.seconds(Int64(2))

    init(
        node: any SoundNode, agreement: SoundAgreement, stop: StopSignal, clock: any MonotonicClock,
        stallLimit: Microseconds, statistics: Locked<SoundCaptureStatistics>,
        onFrame: @escaping @Sendable (AudioFrame) -> Void, onEvent: @escaping @Sendable (SoundCaptureEvent) -> Void
    ) {
        self.node = node
        self.agreement = agreement
        self.stop = stop
        self.clock = clock
        self.stallLimit = stallLimit
        self.statistics = statistics
        self.onFrame = onFrame
        self.onEvent = onEvent
        timeline = SoundTimeline(sampleRate: agreement.format.sampleRate)
        lastSign = clock.now
    }

    /// Returns when asked to stop (nil) or when the device has gone.
    mutating func run() -> DeviceError? {
        while true {
            let left = stallLimit.count - (clock.now - lastSign).count
            let readiness = node.wait(stop.wake, atMost: Microseconds(max(0, left)))
            if stop.isSet { return nil }
            switch readiness {
            case .woken:
                stop.wake.reset()
                if stop.isSet { return nil }
            case .timedOut:
                if let error = stalled { return error }
            case .ready:
                do throws(ALSAFailure) {
                    if try drain() { continue }
                    if let error = stalled { return error }
                    // A device that says "ready" and has nothing must not keep a processor busy.
                    _ = stop.wake.wait(atMost: .milliseconds(1))
                } catch {
                    if let end = recover(from: error) { return end }
                }
            }
        }
    }

    private var stalled: DeviceError? {
        guard clock.now - lastSign >= stallLimit else { return nil }
        return DeviceError(
            .stalled, device: node.name, "no sound, not even silence, for \(Int(stallLimit.inSeconds)) s")
    }

    /// Reads all there is, a period at a time. False when there was nothing.
    private mutating func drain() throws(ALSAFailure) -> Bool {
        var hasRead = false
        while !stop.isSet {
            // Read before the samples are: the delay says how old the next one is.
            let begin = timeOfNextSample()
            let bytes = try read()
            if bytes.isEmpty { break }
            hasRead = true
            deliver(bytes, measured: begin)
        }
        return hasRead
    }

    private func read() throws(ALSAFailure) -> [UInt8] {
        let size = agreement.format.bytesPerSample
        var failure: ALSAFailure?
        let bytes = [UInt8](unsafeUninitializedCapacity: agreement.period * size) { buffer, count in
            do throws(ALSAFailure) {
                count = try node.read(into: UnsafeMutableRawBufferPointer(buffer), samples: agreement.period) * size
            } catch {
                (failure, count) = (error, 0)
            }
        }
        if let failure { throw failure }
        return bytes
    }

    private func timeOfNextSample() -> MonotonicTime {
        let rate = agreement.format.sampleRate
        // Without a position: a period is read as soon as it is there.
        guard let position = node.position() else {
            return clock.now - Microseconds(Int64(agreement.period) * 1_000_000 / Int64(rate))
        }
        let now = clock.now
        let stamp = position.stamp.flatMap { $0 <= now && now - $0 <= Self.mostStampAge ? $0 : nil } ?? now
        // A delay of more than ten seconds is no delay.
        let delay = max(0, min(rate * 10, position.delay))
        return stamp - Microseconds(Int64(delay) * 1_000_000 / Int64(rate))
    }

    private mutating func deliver(_ bytes: [UInt8], measured: MonotonicTime) {
        let samples = bytes.count / agreement.format.bytesPerSample
        let (time, gap) = timeline.time(measured: measured, samples: samples)
        (lastSign, failuresInARow) = (clock.now, 0)
        statistics.withLock {
            $0.samples += samples
            $0.missing = Microseconds($0.missing.count + gap.count)
        }
        if let cause = interruption ?? (gap > .zero ? .clockJump : nil) {
            interruption = nil
            onEvent(.interrupted(cause, gap: gap))
        }
        onFrame(AudioFrame(format: agreement.format, bytes: bytes, presentationTime: time))
    }

    /// Begins again after an interruption; the error when that is not possible.
    private mutating func recover(from failure: ALSAFailure) -> DeviceError? {
        failuresInARow += 1
        guard failuresInARow <= Self.mostFailures else { return lost(failure) }
        do throws(ALSAFailure) {
            switch failure.code {
            case EPIPE:
                begin(.overrun, \.overruns)
                try restart()
            case ESTRPIPE:
                begin(.suspend, \.suspends)
                try resume()
            case EBADFD, EIO:
                // A state that the call is not for: something stopped the device behind our back.
                begin(.overrun, \.overruns)
                try restart()
            default:
                return lost(failure)
            }
        } catch {
            if error.code == ENODEV { return lost(error) }
            // The next read tells whether it runs all the same.
            _ = stop.wake.wait(atMost: .milliseconds(20))
        }
        lastSign = clock.now
        return nil
    }

    private mutating func begin(
        _ cause: SoundInterruption, _ count: WritableKeyPath<SoundCaptureStatistics, Int>
    ) {
        interruption = cause
        timeline.interrupt()
        statistics.withLock { $0[keyPath: count] += 1 }
    }

    private func restart() throws(ALSAFailure) {
        try node.prepare()
        try node.start()
    }

    /// "Some hardware does not resume at once" (`snd_pcm_resume`: EAGAIN); some not at all, and is prepared instead.
    private func resume() throws(ALSAFailure) {
        let begin = clock.now
        while !stop.isSet {
            do throws(ALSAFailure) {
                return try node.resume()
            } catch  where error.code == EAGAIN && clock.now - begin < stallLimit {
                _ = stop.wake.wait(atMost: .milliseconds(20))
            } catch {
                return try restart()
            }
        }
    }

    private func lost(_ failure: ALSAFailure) -> DeviceError {
        DeviceError(.disconnected, device: node.name, systemError: failure.code, "the sound device has gone")
    }
}
