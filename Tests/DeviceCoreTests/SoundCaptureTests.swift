import CamoTypes
import Confinement
import Dispatch
import Glibc
import Testing

@testable import DeviceCore

/// A capture's life: interruptions, losses, stops.
@Suite struct SoundCaptureTests {
    private let period = FakeSound.Step.samples(480, in: .milliseconds(10))

    @Test("Samples come whole and in order, each frame with the time of its first sample")
    func samples() throws {
        let fake = FakeSound { state in
            state.script = [.samples(480, in: .milliseconds(10)), .samples(1200, in: .milliseconds(25))]
        }
        let capture = try SoundCapture(fake)
        try capture.start()
        #expect(eventually { capture.device.statistics.samples == 1680 })
        #expect(capture.device.stop())
        // The first was captured 10 ms before it was read, which was at 9.01 s.
        #expect(capture.frames.first?.presentationTime?.microseconds == 9_000_000)
        #expect(capture.frames.map(\.sampleCount) == [480, 480, 480, 240])
        #expect(capture.begins == [0, 10, 20, 30])
        let numbers = capture.frames.flatMap { frame in
            stride(from: 0, to: frame.bytes.count, by: 8).map { offset in
                frame.bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: Int32.self) }
            }
        }
        #expect(numbers == Array(0..<1680))
    }

    @Test("After an overrun capture goes on, and the time line has the gap")
    func overrun() throws {
        let fake = FakeSound { state in
            state.script = [
                .samples(480, in: .milliseconds(10)), .silence(.seconds(Int64(3))), .failure(EPIPE),
                .samples(480, in: .milliseconds(10)), .samples(480, in: .milliseconds(10)),
            ]
        }
        let capture = try SoundCapture(fake)
        try capture.start()
        #expect(eventually { capture.device.statistics.samples == 1440 })
        #expect(capture.device.stop())
        #expect(capture.interruptions == ["overrun 3000 ms"])
        #expect(capture.begins == [0, 3010, 3020])
        let counts = capture.device.statistics
        #expect(counts.overruns == 1)
        #expect(counts.missing == .seconds(Int64(3)))
        #expect(fake.state.withLock { $0.calls } == ["anything", "prepare", "start", "prepare", "start", "close"])
    }

    @Test("After a suspend capture resumes when the hardware is back")
    func suspend() throws {
        let fake = FakeSound { state in
            state.script = [period, .silence(.seconds(Int64(1))), .failure(ESTRPIPE), period]
            state.resumeFailures = [EAGAIN, EAGAIN]
        }
        let capture = try SoundCapture(fake)
        try capture.start()
        #expect(eventually { capture.device.statistics.samples == 960 })
        #expect(capture.device.stop())
        #expect(capture.device.statistics.suspends == 1)
        #expect(capture.interruptions == ["suspend 1000 ms"])
        #expect(
            fake.state.withLock { $0.calls }
                == ["anything", "prepare", "start", "resume", "resume", "resume", "close"])
    }

    @Test("Hardware that cannot resume is prepared and started anew")
    func suspendWithoutResume() throws {
        let fake = FakeSound { state in
            state.script = [period, .failure(ESTRPIPE), period]
            state.resumeFailures = [ENOSYS]
        }
        let capture = try SoundCapture(fake)
        try capture.start()
        #expect(eventually { capture.device.statistics.samples == 960 })
        #expect(capture.device.stop())
        #expect(
            fake.state.withLock { $0.calls }
                == ["anything", "prepare", "start", "resume", "prepare", "start", "close"])
    }

    @Test("A stop ends a resume that never succeeds")
    func stopInSuspend() throws {
        let fake = FakeSound { state in
            state.script = [.failure(ESTRPIPE)]
            state.resumeFailures = Array(repeating: EAGAIN, count: 1000)
        }
        let capture = try SoundCapture(fake)
        try capture.start()
        #expect(eventually { fake.state.withLock { $0.calls.contains("resume") } })
        #expect(capture.device.stop())
    }

    @Test("A device that goes is told once, and closed")
    func lost() throws {
        let fake = FakeSound { $0.script = [period, .failure(ENODEV), period] }
        let capture = try SoundCapture(fake)
        try capture.start()
        #expect(capture.waitForLoss())
        #expect(capture.losses.map(\.code) == [.disconnected])
        #expect(capture.device.stop())
        #expect(fake.state.withLock { $0.isClosed })
        #expect(capture.device.statistics.samples == 480)
    }

    @Test("A device that goes while it is started anew is lost; one that fails on and on is lost too")
    func lostInRestart() throws {
        let going = FakeSound { $0.script = [period, .failure(EPIPE)] }
        let capture = try SoundCapture(going)
        // The first call, at the start, succeeds.
        going.state.withLock { $0.prepareFailures = [0, ENODEV] }
        try capture.start()
        #expect(capture.waitForLoss())
        #expect(capture.losses.map(\.systemError) == [ENODEV])
        capture.device.stop()

        let broken = FakeSound { $0.script = Array(repeating: .failure(EPIPE), count: 50) }
        let second = try SoundCapture(broken)
        try second.start()
        #expect(second.waitForLoss())
        #expect(second.losses.map(\.systemError) == [EPIPE])
        #expect(second.device.statistics.overruns == 5)
        second.device.stop()
    }

    @Test("A device that gives nothing for the time allowed is lost, whether it says ready or not")
    func stall() throws {
        let silent = FakeSound { $0.script = [period, .silence(.seconds(Int64(6)))] }
        let capture = try SoundCapture(silent)
        try capture.start()
        #expect(capture.waitForLoss())
        #expect(capture.losses.map(\.code) == [.stalled])
        capture.device.stop()
        let ready = FakeSound { $0.script = [.nothing, .silence(.milliseconds(4_900)), .nothing, .nothing, period] }
        let second = try SoundCapture(ready)
        try second.start()
        #expect(eventually { second.device.statistics.samples == 480 })
        #expect(second.losses.isEmpty)
        second.device.stop()
    }

    @Test("Devices whose stamps are of another clock, or that give none, get the times of arrival")
    func otherStamps() throws {
        for set: (inout FakeSound.State) -> Void in [
            { $0.stampOffset = .seconds(Int64(1_700_000_000)) }, { $0.stampOffset = .seconds(Int64(-60)) },
            { $0.stampOffset = nil }, { $0.hasPosition = false },
        ] {
            let fake = FakeSound("hw:CARD=Fake,DEV=0", set)
            fake.state.withLock { $0.script = [self.period, self.period] }
            let capture = try SoundCapture(fake)
            try capture.start()
            #expect(eventually { capture.device.statistics.samples == 960 })
            capture.device.stop()
            #expect(capture.frames.map { $0.presentationTime?.microseconds } == [9_000_000, 9_010_000])
        }
    }

    @Test("A stop ends a silent device at once, also from its own callback; a hanging callback is left behind")
    func stop() throws {
        let silent = try SoundCapture(FakeSound())
        try silent.start()
        #expect(silent.device.stop())
        #expect(silent.device.stop())

        let fake = FakeSound { $0.script = [period, period] }
        let device = try SoundCapture(fake).device
        let results = Locked<[Bool]>([])
        try device.start(
            onFrame: { _ in
                let result = device.stop()
                results.withLock { $0.append(result) }
            }, onEvent: { _ in })
        #expect(eventually { fake.state.withLock { $0.isClosed } })
        #expect(results.withLock { $0 } == [false])

        let hanging = try SoundCapture(FakeSound { $0.script = [period] }).device
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try hanging.start(
            onFrame: { _ in
                entered.signal()
                leave.wait()
            }, onEvent: { _ in })
        entered.wait()
        #expect(!hanging.stop(within: .milliseconds(20)))
        leave.signal()
        #expect(hanging.stop())
    }

    @Test("A device that cannot be started says why, and is closed")
    func startFails() throws {
        let fake = FakeSound { $0.prepareFailures = [EBUSY] }
        let capture = try SoundCapture(fake)
        let error = #expect(throws: DeviceError.self) { try capture.start() }
        #expect(error?.code == .busy)
        #expect(capture.device.stop())
        #expect(fake.state.withLock { $0.isClosed })
    }
}
