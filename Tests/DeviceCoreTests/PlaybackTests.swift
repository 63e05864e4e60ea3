import CamoTypes
import Confinement
import Dispatch
import Glibc
import Testing

@testable import DeviceCore

/// A sender that gives ten milliseconds of numbered samples every ten milliseconds of a clock, and pauses when told.
private final class Sender: Sendable {
    private struct State {
        var sent = 0
        var number: Int32 = 0
        var held: [UInt8] = []
    }

    private let clock: ManualClock
    private let begin: MonotonicTime
    private let pauses: [ClosedRange<Int64>]
    private let isLate: Bool
    private let state = Locked(State())

    /// - Parameters:
    ///   - pauses: In milliseconds from now.
    ///   - isLate: What is not sent in a pause comes after it, all at once.
    init(_ clock: ManualClock, pauses: [ClosedRange<Int64>] = [], isLate: Bool = false) {
        self.clock = clock
        self.pauses = pauses
        self.isLate = isLate
        begin = clock.now
    }

    func take(_ format: AudioFormat) -> [UInt8] {
        let now = (clock.now - begin).count / 1_000
        return state.withLock { state in
            var bytes = state.held
            state.held = []
            while Int64(state.sent) * 10 <= now {
                defer { state.sent += 1 }
                let isPaused = pauses.contains { $0.contains(Int64(state.sent) * 10) }
                if isPaused, !isLate { continue }
                for _ in 0..<format.sampleRate / 100 {
                    state.number += 1
                    for _ in 0..<format.channels { withUnsafeBytes(of: state.number) { bytes += $0 } }
                }
            }
            if isLate, pauses.contains(where: { $0.contains(now) }) {
                state.held = bytes
                return []
            }
            return bytes
        }
    }
}

@Suite struct PlaybackLoopTests {
    private let wish = AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .int32)
    private let counts = Locked(PlaybackStatistics())

    /// Plays for so long, by the fake's clock.
    private func play(
        _ fake: FakeLoudspeaker, milliseconds: Int64, from sender: Sender? = nil, stallLimit: Microseconds? = nil
    ) throws -> DeviceError? {
        let stop = try StopSignal(for: fake.name)
        let end = fake.clock.now + .milliseconds(milliseconds)
        fake.state.withLock { state in
            state.events.append((end, { _ in stop.set() }))
            state.events.sort { $0.at < $1.at }
        }
        let agreement = try fake.negotiate(wish, buffer: .milliseconds(200))
        let sender = sender ?? Sender(fake.clock)
        var loop = PlaybackLoop(
            node: fake, agreement: agreement, stop: stop, clock: fake.clock,
            stallLimit: stallLimit ?? .seconds(Int64(5)), statistics: counts,
            source: { _, format in sender.take(format) })
        return loop.run()
    }

    private var statistics: PlaybackStatistics { counts.withLock { $0 } }

    @Test func `sound begins after fifty milliseconds and is whole`() throws {
        let fake = FakeLoudspeaker()
        #expect(try play(fake, milliseconds: 1_000) == nil)
        let heard = fake.state.withLock { $0.heard }
        #expect(heard.prefix { $0 == 0 }.count == 2_400)
        let sound = heard.drop { $0 == 0 }
        #expect(sound.elementsEqual(1...Int32(sound.count)))
        #expect(statistics.underflows == 0 && statistics.underruns == 0)
        #expect(fake.state.withLock { $0.calls } == ["prepare", "start"])
    }

    @Test func `where sound runs out there is silence, counted, and what follows is whole`() throws {
        let fake = FakeLoudspeaker()
        let sender = Sender(fake.clock, pauses: [300...500])
        #expect(try play(fake, milliseconds: 1_000, from: sender) == nil)
        let heard = fake.state.withLock { $0.heard }.drop { $0 == 0 }
        let sound = heard.filter { $0 != 0 }
        #expect(sound.elementsEqual(1...Int32(sound.count)))
        // 21 packets did not come; about 50 ms were ahead, and 10 to 20 are when sound is back.
        let silence = heard.count - sound.count
        #expect((48 * 150...48 * 200).contains(silence))
        #expect(statistics.underflows == 1)
        #expect(statistics.underruns == 0)
    }

    @Test func `silence for want of any sound is no underflow`() throws {
        let fake = FakeLoudspeaker()
        let sender = Sender(fake.clock, pauses: [0...10_000])
        #expect(try play(fake, milliseconds: 5_000, from: sender) == nil)
        #expect(statistics.underflows == 0 && statistics.samples == 0)
        #expect(fake.state.withLock { $0.heard.count } > 48 * 4_900)
    }

    @Test func `after a long silence sound begins anew, fifty milliseconds late`() throws {
        let fake = FakeLoudspeaker()
        let sender = Sender(fake.clock, pauses: [300...2_300])
        #expect(try play(fake, milliseconds: 3_000, from: sender) == nil)
        // What was ahead when the pause began, and at the end of the test.
        let heard = fake.state.withLock { $0.heard }
        let last = heard.reduce(0, max)
        // 3 s less the pause of 2.01 s less the 50 ms that are ahead.
        let milliseconds = Int(last) / 48
        #expect((928...952).contains(milliseconds))
    }

    @Test func `a process that was held up begins again`() throws {
        let fake = FakeLoudspeaker()
        fake.state.withLock { state in
            state.events = [(fake.clock.now + .milliseconds(400), { $0.heldUp = .milliseconds(3_000) })]
        }
        #expect(try play(fake, milliseconds: 4_500) == nil)
        #expect(statistics.underruns == 1)
        #expect(fake.state.withLock { $0.calls } == ["prepare", "start", "prepare", "start"])
        let sound = fake.state.withLock { $0.heard }.filter { $0 != 0 }
        #expect(sound.count > 48 * 1_000)
    }

    @Test(arguments: [
        ([EAGAIN, EAGAIN], ["resume", "resume", "resume"]), ([ENOSYS], ["resume", "prepare", "start"]),
    ])
    func `a suspend is survived`(failures: [Int32], calls: [String]) throws {
        let fake = FakeLoudspeaker()
        fake.state.withLock { state in
            state.resumeFailures = failures
            state.events = [(fake.clock.now + .milliseconds(200), { $0.roomFailures = [ESTRPIPE] })]
        }
        #expect(try play(fake, milliseconds: 600) == nil)
        #expect(statistics.suspends == 1)
        #expect(fake.state.withLock { $0.calls } == ["prepare", "start"] + calls)
    }

    @Test func `a device that is pulled out is lost`() throws {
        let fake = FakeLoudspeaker()
        fake.state.withLock { state in
            state.events = [(fake.clock.now + .milliseconds(200), { $0.roomFailures = [ENODEV] })]
        }
        #expect(try play(fake, milliseconds: 5_000)?.code == .disconnected)
    }

    @Test func `a device that fails again and again is lost`() throws {
        let fake = FakeLoudspeaker { $0.roomFailures = [Int32](repeating: EPIPE, count: 20) }
        #expect(try play(fake, milliseconds: 5_000)?.code == .disconnected)
    }

    @Test func `a device that plays nothing has stalled`() throws {
        let fake = FakeLoudspeaker()
        fake.state.withLock { state in
            state.events = [(fake.clock.now + .milliseconds(200), { $0.isStuck = true })]
        }
        #expect(try play(fake, milliseconds: 10_000, stallLimit: .seconds(Int64(2)))?.code == .stalled)
    }

    @Test(arguments: [(8_000, 1), (44_100, 4), (96_000, 8), (192_000, 2)])
    func `what the device has is taken`(rate: Int, channels: Int) throws {
        let fake = FakeLoudspeaker { state in
            (state.rates, state.channels, state.formats) = (rate...rate, channels...channels, [.int16])
        }
        let agreement = try fake.negotiate(.standard)
        #expect(agreement.format == AudioFormat(sampleRate: rate, channels: channels, sampleFormat: .int16))
    }
}

@Suite struct PlaybackMarginTests {
    @Test func `a machine that comes too late gets more time, and has to give it back`() {
        var now = MonotonicTime(microseconds: 0)
        var margin = PlaybackMargin(at: now)
        #expect(margin.least == .milliseconds(10) && margin.target == .milliseconds(50) && margin.extra == .zero)
        for _ in 0..<2 { margin.underran(at: now) }
        #expect(margin.least == .milliseconds(40) && margin.target == .milliseconds(80))
        for _ in 0..<5 { margin.underran(at: now) }
        #expect(margin.least == .milliseconds(80) && margin.target == .milliseconds(120))
        now = now + .seconds(Int64(59))
        margin.wasInTime(at: now)
        #expect(margin.least == .milliseconds(80))
        for _ in 0..<4 {
            now = now + .seconds(Int64(60))
            margin.wasInTime(at: now)
        }
        #expect(margin == PlaybackMargin(at: now - .seconds(Int64(60))))
    }

    /// Each third wake-up comes 25 ms late: after a few underruns nothing runs out any more.
    @Test func `a machine that is late again and again is heard without gaps`() throws {
        let fake = FakeLoudspeaker()
        fake.state.withLock { state in
            state.events = (1...100).map { number in
                (fake.clock.now + .milliseconds(Int64(number) * 60), { $0.lateness = .milliseconds(25) })
            }
        }
        let stop = try StopSignal(for: fake.name)
        let end = fake.clock.now + .milliseconds(6_000)
        fake.state.withLock { $0.events.append((end, { _ in stop.set() })) }
        let agreement = try fake.negotiate(
            AudioFormat(sampleRate: 48_000, channels: 2, sampleFormat: .int32), buffer: .milliseconds(200))
        let counts = Locked(PlaybackStatistics())
        let sender = Sender(fake.clock)
        var loop = PlaybackLoop(
            node: fake, agreement: agreement, stop: stop, clock: fake.clock, stallLimit: .seconds(Int64(5)),
            statistics: counts, source: { _, format in sender.take(format) })
        #expect(loop.run() == nil)
        let underruns = counts.withLock { $0.underruns }
        #expect(underruns <= 3)
    }
}

@Suite struct SoundPlaybackDeviceTests {
    private let events = Locked<[String]>([])

    private var told: [String] { events.withLock { $0 } }

    private func start(_ device: SoundPlaybackDevice) throws {
        try device.start(
            source: { _, _ in [] },
            onEvent: { [events] event in
                let line =
                    switch event {
                    case .lost(let error): "lost \(error.code.rawValue)"
                    case .returned(let format): "returned \(format.sampleRate)"
                    }
                events.withLock { $0.append(line) }
            })
    }

    @Test func `a device that comes back is opened again, with what it has then`() throws {
        let fake = FakeLoudspeaker()
        let device = try SoundPlaybackDevice(
            fake.name, nodes: FakeLoudspeakers(devices: [fake]), clock: fake.clock, retryInterval: .milliseconds(1))
        let gone = DeviceError(.notFound, device: fake.name, "there is no such sound device")
        fake.state.withLock { state in
            (state.roomFailures, state.openFailure) = ([ENODEV], gone)
        }
        try start(device)
        #expect(eventually { told == ["lost disconnected"] })
        fake.state.withLock { state in (state.openFailure, state.rates) = (nil, 44_100...44_100) }
        #expect(eventually { told == ["lost disconnected", "returned 44100"] })
        #expect(device.statistics.losses == 1)
        #expect(device.stop())
        #expect(fake.state.withLock { $0.isClosed })
    }

    @Test func `hardware without a format that is known is opened through the converter`() throws {
        let bare = FakeLoudspeaker("hw:0,0") { $0.channels = 10...12 }
        let converter = FakeLoudspeaker("plughw:0,0")
        let device = try SoundPlaybackDevice("hw:0,0", nodes: FakeLoudspeakers(devices: [bare, converter]))
        #expect(device.format == .standard)
        #expect(bare.state.withLock { $0.isClosed })
        #expect(device.stop())
    }

    @Test func `an absent device is absent, a busy one busy`() throws {
        let error = #expect(throws: DeviceError.self) {
            try SoundPlaybackDevice("hw:7,0", nodes: FakeLoudspeakers(devices: []))
        }
        #expect(error?.code == .notFound)
    }
}
