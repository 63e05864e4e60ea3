import CamoTypes
import Confinement
import Glibc

/// What runs on a loudspeaker's thread: writes sound as soon as there is some, silence before the device runs out, and
/// begins again after interruptions, until told to stop or the device has gone.
///
/// The device's own buffer is the whole buffer: what waits to be played waits there, so that the sound of a process
/// that is held up goes on, and how much it is can be told to whoever makes the sound.
///
/// Used by its thread alone, but for `statistics`.
struct PlaybackLoop {
    /// Makes what is to be played next: whole samples in the given format, or nothing for now.
    ///
    /// `ahead` is how long what is written already will play, less what is ahead only because this machine is slow.
    typealias Source = @Sendable (_ ahead: Microseconds, _ format: AudioFormat) -> [UInt8]

    /// After so much silence sound begins anew, as far ahead as at first; a shorter one is a gap, and what comes late
    /// fills up what it took.
    private static let newBeginning = Microseconds.milliseconds(500)
    /// Restarts without a sample in between; more of them will not help.
    private static let mostFailures = 5

    private let node: any PlaybackNode
    private let format: AudioFormat
    private let period: Int
    private let stop: StopSignal
    private let clock: any MonotonicClock
    private let stallLimit: Microseconds
    private let statistics: Locked<PlaybackStatistics>
    private let source: Source

    /// Made, but not written yet.
    private var rest: [UInt8] = []
    private var isRunning = false
    private var failuresInARow = 0
    private var margin: PlaybackMargin
    /// Samples of silence since the last sound; nil: none since.
    private var silence: Int?
    private var lastProgress: MonotonicTime
    private var lastQueued = 0

    init(
        node: any PlaybackNode, agreement: SoundAgreement, stop: StopSignal, clock: any MonotonicClock,
        stallLimit: Microseconds, statistics: Locked<PlaybackStatistics>, source: @escaping Source
    ) {
        self.node = node
        format = agreement.format
        period = agreement.period
        self.stop = stop
        self.clock = clock
        self.stallLimit = stallLimit
        self.statistics = statistics
        self.source = source
        lastProgress = clock.now
        margin = PlaybackMargin(at: clock.now)
        silence = samples(Self.newBeginning)
    }

    /// Returns when asked to stop (nil) or when the device has gone.
    mutating func run() -> DeviceError? {
        while !stop.isSet {
            do throws(ALSAFailure) {
                if !isRunning { try begin() }
                let queued = try write()
                if let error = stalled(queued) { return error }
                // Until silence is due, or new sound.
                let spare = Microseconds(max(1_000, duration(queued).count - margin.least.count))
                if node.pause(stop.wake, atMost: min(spare, margin.target)) { stop.wake.reset() }
            } catch {
                if let end = recover(from: error) { return end }
            }
        }
        return nil
    }

    // MARK: Writing

    private mutating func begin() throws(ALSAFailure) {
        try node.prepare()
        _ = try writeSilence(min(samples(margin.target), node.capacity))
        try node.start()
        isRunning = true
        lastProgress = clock.now
        lastQueued = 0
    }

    /// Writes what there is and returns how much is ahead then.
    private mutating func write() throws(ALSAFailure) -> Int {
        var room = try node.room()
        failuresInARow = 0
        margin.wasInTime(at: clock.now)
        note(queued: node.capacity - room)
        while room > 0 {
            if rest.isEmpty {
                rest = source(known(ahead: node.capacity - room), format)
                if rest.isEmpty { break }
                if let silence, silence >= samples(Self.newBeginning) {
                    room -= try writeSilence(min(room, samples(margin.target) - (node.capacity - room)))
                }
                silence = nil
            }
            let count = try writeRest()
            if count == 0 { break }
            room -= count
        }
        let missing = samples(margin.least) - (node.capacity - room)
        if rest.isEmpty, missing > 0 { room -= try fillUp(missing) }
        return node.capacity - room
    }

    private mutating func writeRest() throws(ALSAFailure) -> Int {
        let count = try write(rest)
        rest.removeFirst(min(rest.count, count * format.bytesPerSample))
        statistics.withLock { $0.samples += count }
        return count
    }

    /// There is no sound: a period of silence on top of what is missing.
    private mutating func fillUp(_ missing: Int) throws(ALSAFailure) -> Int {
        let count = try writeSilence(missing + period)
        if silence == nil { statistics.withLock { $0.underflows += 1 } }
        silence = (silence ?? 0) + count
        return count
    }

    private func writeSilence(_ samples: Int) throws(ALSAFailure) -> Int {
        guard samples > 0 else { return 0 }
        let bytes = [UInt8](repeating: 0, count: samples * format.bytesPerSample)
        let count = try write(bytes)
        statistics.withLock { $0.silence += count }
        return count
    }

    private func write(_ bytes: [UInt8]) throws(ALSAFailure) -> Int {
        let result = bytes.withUnsafeBytes { bytes in
            Result { () throws(ALSAFailure) in try node.write(bytes) }
        }
        return try result.get()
    }

    // MARK: Trouble

    /// A device whose buffer never gets emptier plays nothing.
    private mutating func note(queued: Int) {
        if queued < lastQueued || queued == 0 { lastProgress = clock.now }
        lastQueued = queued
    }

    private mutating func stalled(_ queued: Int) -> DeviceError? {
        lastQueued = queued
        guard clock.now - lastProgress >= stallLimit else { return nil }
        return DeviceError(.stalled, device: node.name, "it has played nothing for \(Int(stallLimit.inSeconds)) s")
    }

    /// Begins again after an interruption; the error when that is not possible.
    private mutating func recover(from failure: ALSAFailure) -> DeviceError? {
        failuresInARow += 1
        guard failuresInARow <= Self.mostFailures else { return lost(failure) }
        isRunning = false
        switch failure.code {
        case EPIPE:
            statistics.withLock { $0.underruns += 1 }
            margin.underran(at: clock.now)
        case ESTRPIPE:
            statistics.withLock { $0.suspends += 1 }
            isRunning = resume()
        case EBADFD, EIO: break  // A state that the call is not for: something stopped the device behind our back.
        default: return lost(failure)
        }
        if failuresInARow > 1 { _ = node.pause(stop.wake, atMost: .milliseconds(20)) }
        return nil
    }

    /// "Some hardware does not resume at once" (`snd_pcm_resume`: EAGAIN); some not at all: false, prepare it instead.
    private func resume() -> Bool {
        let begin = clock.now
        while !stop.isSet, clock.now - begin < stallLimit {
            do throws(ALSAFailure) {
                try node.resume()
                return true
            } catch  where error.code == EAGAIN {
                _ = node.pause(stop.wake, atMost: .milliseconds(20))
            } catch {
                return false
            }
        }
        return false
    }

    private func lost(_ failure: ALSAFailure) -> DeviceError {
        DeviceError(.disconnected, device: node.name, systemError: failure.code, "the sound device has gone")
    }

    // MARK: Units

    /// What the source is told: it keeps to ``PlaybackMargin/target`` and knows of no more.
    private func known(ahead samples: Int) -> Microseconds {
        Microseconds(max(0, duration(samples).count - margin.extra.count))
    }

    private func samples(_ time: Microseconds) -> Int { Int(time.count) * format.sampleRate / 1_000_000 }
    private func duration(_ samples: Int) -> Microseconds {
        Microseconds(Int64(samples) * 1_000_000 / Int64(format.sampleRate))
    }
}
