import CamoTypes
import Confinement
import Glibc

@testable import DeviceCore

/// A sound device behind the library calls: negotiates within what it has, and plays a script on a clock that only the
/// script moves.
final class FakeSound: SoundNode {
    enum Step: Sendable {
        /// So many samples were captured, while so much time went by; they wait to be read.
        case samples(Int, in: Microseconds)
        /// The next read fails.
        case failure(Int32)
        /// Time goes by and nothing comes.
        case silence(Microseconds)
        /// The device says ready and has nothing.
        case nothing
    }

    struct State {
        var formats: Set<SampleFormat> = [.int16, .int32, .float32]
        var channels: ClosedRange<Int> = 1...2
        var rates: ClosedRange<Int> = 8_000...192_000
        var script: [Step] = []
        /// What these calls fail with, in order, 0 for success; then they succeed.
        var resumeFailures: [Int32] = []
        var prepareFailures: [Int32] = []
        /// The device's stamps: of this clock, of none, or of one that is far off.
        var stampOffset: Microseconds? = .zero
        var hasPosition = true
        fileprivate(set) var calls: [String] = []
        fileprivate(set) var agreed = AudioFormat(sampleRate: 0, channels: 0, sampleFormat: .int16)
        fileprivate(set) var isClosed = false
        fileprivate var waiting = 0
        fileprivate var sample: Int64 = 0
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

    func anything() throws(ALSAFailure) { state.withLock { $0.calls.append("anything") } }

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
        state.withLock { $0.agreed.sampleRate * Int(period.count) / 1_000_000 }
    }

    func prepare() throws(ALSAFailure) {
        try state.withLock { state throws(ALSAFailure) in
            state.calls.append("prepare")
            state.waiting = 0
            let code = state.prepareFailures.isEmpty ? 0 : state.prepareFailures.removeFirst()
            if code != 0 { throw ALSAFailure(code) }
        }
    }

    func start() throws(ALSAFailure) { state.withLock { $0.calls.append("start") } }

    func resume() throws(ALSAFailure) {
        try state.withLock { state throws(ALSAFailure) in
            state.calls.append("resume")
            if !state.resumeFailures.isEmpty { throw ALSAFailure(state.resumeFailures.removeFirst()) }
        }
    }

    func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness {
        if wake.wait(atMost: .zero) { return .woken }
        let (step, passed) = state.withLock { state -> (Step?, Microseconds) in
            guard let step = state.script.first else { return (nil, .zero) }
            switch step {
            case .samples(let count, let time):
                state.script.removeFirst()
                state.waiting += count
                return (step, time)
            case .silence(let time):
                let passed = min(time, limit)
                if time > limit {
                    state.script[0] = .silence(Microseconds(time.count - limit.count))
                } else {
                    state.script.removeFirst()
                }
                return (step, passed)
            case .nothing:
                state.script.removeFirst()
                return (step, .zero)
            case .failure:
                return (step, .zero)
            }
        }
        clock.advance(by: passed)
        switch step {
        case .samples, .failure, .nothing: return .ready
        case .silence: return .timedOut
        case nil: return wake.wait(atMost: .seconds(Int64(5))) ? .woken : .timedOut
        }
    }

    func position() -> SoundPosition? {
        let now = clock.now
        return state.withLock { state in
            guard state.hasPosition else { return nil }
            return SoundPosition(stamp: state.stampOffset.map { now + $0 }, delay: state.waiting)
        }
    }

    func read(into buffer: UnsafeMutableRawBufferPointer, samples: Int) throws(ALSAFailure) -> Int {
        let address = UInt(bitPattern: buffer.baseAddress)
        let room = buffer.count
        return try state.withLock { state throws(ALSAFailure) in
            if state.waiting == 0, case .failure(let code) = state.script.first {
                state.script.removeFirst()
                throw ALSAFailure(code)
            }
            let count = min(samples, state.waiting)
            state.waiting -= count
            // Each sample carries its number, so that a test sees what is lost or comes twice.
            let memory = UnsafeMutableRawBufferPointer(
                start: UnsafeMutableRawPointer(bitPattern: address), count: room)
            for index in 0..<count * state.agreed.channels where state.agreed.sampleFormat == .int32 {
                memory.storeBytes(
                    of: Int32(truncatingIfNeeded: state.sample + Int64(index / state.agreed.channels)),
                    toByteOffset: index * 4, as: Int32.self)
            }
            state.sample += Int64(count)
            return count
        }
    }

    func close() {
        state.withLock { state in
            if !state.isClosed { state.calls.append("close") }
            state.isClosed = true
        }
    }
}

/// A machine with fake sound devices.
struct FakeSoundNodes: SoundNodes {
    var devices: [FakeSound]

    func open(_ name: String) throws(DeviceError) -> any SoundNode {
        guard let device = devices.first(where: { $0.name == name }) else {
            throw DeviceError(.notFound, device: name, "there is no such sound device")
        }
        return device
    }
}
