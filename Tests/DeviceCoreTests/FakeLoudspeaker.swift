import CamoTypes
import Confinement
import Glibc

@testable import DeviceCore

/// A loudspeaker behind the library calls: plays what is written to it, by a clock that moves only while the one who
/// writes waits.
final class FakeLoudspeaker: PlaybackNode {
    struct State {
        var formats: Set<SampleFormat> = [.int16, .int32, .float32]
        var channels: ClosedRange<Int> = 1...2
        var rates: ClosedRange<Int> = 8_000...192_000
        var openFailure: DeviceError?
        /// What the next calls fail with.
        var roomFailures: [Int32] = []
        var resumeFailures: [Int32] = []
        /// It takes samples and plays none.
        var isStuck = false
        /// What happens when the clock gets there; the process is held up, the cable is pulled.
        var events: [(at: MonotonicTime, change: @Sendable (inout State) -> Void)] = []
        /// So much time goes by in the next wait, whatever was asked for.
        var heldUp: Microseconds?
        /// The next wait is longer by this.
        var lateness: Microseconds?

        /// The first channel of what was heard, where it is `int32`.
        fileprivate(set) var heard: [Int32] = []
        fileprivate(set) var calls: [String] = []
        fileprivate(set) var agreed = AudioFormat(sampleRate: 0, channels: 0, sampleFormat: .int16)
        fileprivate(set) var isClosed = false
        fileprivate var capacity = 0
        fileprivate var queue: [Int32] = []
        fileprivate var isRunning = false
        fileprivate var hasRunDry = false
        fileprivate var remainder: Int64 = 0
    }

    let name: String
    let clock: ManualClock
    let state: Locked<State>

    init(
        _ name: String = "hw:CARD=Fake,DEV=0", clock: ManualClock = ManualClock(MonotonicTime(microseconds: 9_000_000)),
        _ set: (inout State) -> Void = { _ in }
    ) {
        self.name = name
        self.clock = clock
        var state = State()
        set(&state)
        self.state = Locked(state)
    }

    var capacity: Int { state.withLock { $0.capacity } }

    func anything() throws(ALSAFailure) {}

    func take(_ format: SampleFormat) throws(ALSAFailure) {
        try state.withLock { state throws(ALSAFailure) in
            guard state.formats.contains(format) else { throw ALSAFailure(EINVAL) }
            state.agreed.sampleFormat = format
        }
    }

    func takeChannels(near wish: Int) throws(ALSAFailure) -> Int {
        state.withLock { state in
            state.agreed.channels = max(state.channels.lowerBound, min(state.channels.upperBound, wish))
            return state.agreed.channels
        }
    }

    func takeRate(near wish: Int) throws(ALSAFailure) -> Int {
        state.withLock { state in
            state.agreed.sampleRate = max(state.rates.lowerBound, min(state.rates.upperBound, wish))
            return state.agreed.sampleRate
        }
    }

    func settle(period: Microseconds, buffer: Microseconds) throws(ALSAFailure) -> Int {
        state.withLock { state in
            state.capacity = state.agreed.sampleRate * Int(buffer.count) / 1_000_000
            return state.agreed.sampleRate * Int(period.count) / 1_000_000
        }
    }

    func prepare() throws(ALSAFailure) {
        state.withLock { state in
            state.calls.append("prepare")
            (state.queue, state.isRunning, state.hasRunDry) = ([], false, false)
        }
    }

    func start() throws(ALSAFailure) {
        state.withLock { state in
            state.calls.append("start")
            state.isRunning = true
        }
    }

    func resume() throws(ALSAFailure) {
        try state.withLock { state throws(ALSAFailure) in
            state.calls.append("resume")
            if !state.resumeFailures.isEmpty { throw ALSAFailure(state.resumeFailures.removeFirst()) }
            state.isRunning = true
        }
    }

    func room() throws(ALSAFailure) -> Int {
        try state.withLock { state throws(ALSAFailure) in
            if !state.roomFailures.isEmpty {
                // Whatever has happened, nothing plays any more.
                state.isRunning = false
                throw ALSAFailure(state.roomFailures.removeFirst())
            }
            if state.hasRunDry { throw ALSAFailure(EPIPE) }
            return state.capacity - state.queue.count
        }
    }

    func write(_ bytes: UnsafeRawBufferPointer) throws(ALSAFailure) -> Int {
        let samples = state.withLock { ($0.agreed.bytesPerSample, $0.agreed.sampleFormat) }
        let first = stride(from: 0, to: bytes.count, by: samples.0).map { offset in
            samples.1 == .int32 ? bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self) : 0
        }
        return state.withLock { state in
            let count = min(first.count, state.capacity - state.queue.count)
            state.queue += first.prefix(count)
            return count
        }
    }

    func pause(_ wake: WakeUp, atMost limit: Microseconds) -> Bool {
        if wake.wait(atMost: .zero) { return true }
        let now = clock.now
        let time = state.withLock { state in
            defer { (state.heldUp, state.lateness) = (nil, nil) }
            return state.heldUp ?? Microseconds(limit.count + (state.lateness?.count ?? 0))
        }
        clock.advance(by: time)
        state.withLock { state in
            Self.play(time, &state)
            while let event = state.events.first, event.at <= now + time {
                state.events.removeFirst()
                event.change(&state)
            }
        }
        return false
    }

    private static func play(_ time: Microseconds, _ state: inout State) {
        guard state.isRunning, !state.isStuck else { return }
        let total = time.count * Int64(state.agreed.sampleRate) + state.remainder
        state.remainder = total % 1_000_000
        let wanted = Int(total / 1_000_000)
        state.hasRunDry = wanted >= state.queue.count
        state.heard += state.queue.prefix(wanted)
        state.queue.removeFirst(min(wanted, state.queue.count))
    }

    func close() { state.withLock { $0.isClosed = true } }

    fileprivate func open() throws(DeviceError) {
        try state.withLock { state throws(DeviceError) in
            if let failure = state.openFailure { throw failure }
            state.isClosed = false
        }
    }
}

/// A machine with fake loudspeakers.
struct FakeLoudspeakers: PlaybackNodes {
    var devices: [FakeLoudspeaker]

    func openPlayback(_ name: String) throws(DeviceError) -> any PlaybackNode {
        guard let device = devices.first(where: { $0.name == name }) else {
            throw DeviceError(.notFound, device: name, "there is no such sound device")
        }
        try device.open()
        return device
    }
}
