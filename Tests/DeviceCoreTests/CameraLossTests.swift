import CLinuxShims
import CamoTypes
import Confinement
import Dispatch
import Glibc
import Testing

@testable import DeviceCore

/// How a capture ends, and what goes on in spite of everything.
@Suite struct CameraLossTests {
    private let picture = FakeCamera.Picture(bytes: [UInt8](repeating: 1, count: 16))

    @Test("A camera that goes is told once, and closed", arguments: [ENODEV, EINVAL, ENXIO, EPIPE])
    func lost(_ code: Int32) throws {
        let camera = FakeCamera()
        camera.add(.picture(picture), .failure(code), .picture(picture))
        let capture = try CameraCapture(camera)
        try capture.start()
        #expect(capture.wait(for: 2))
        #expect(capture.losses.map(\.code) == [.disconnected])
        #expect(capture.losses.first?.systemError == code)
        #expect(capture.device.stop())
        #expect(camera.state.withLock { $0.isClosed && !$0.isStreaming })
        #expect(capture.frames.count == 1)
    }

    @Test("A passing input/output error is survived, a lasting one is a loss")
    func inputOutput() throws {
        let camera = FakeCamera()
        camera.add(.failure(EIO), .failure(EIO), .picture(picture), .failure(EIO), .picture(picture))
        let capture = try CameraCapture(camera)
        try capture.start()
        #expect(capture.wait(for: 2))
        #expect(capture.losses.isEmpty)
        #expect(capture.device.stop())
        let broken = FakeCamera { $0.script = Array(repeating: .failure(EIO), count: 10) }
        let second = try CameraCapture(broken)
        try second.start()
        #expect(second.wait(for: 1))
        #expect(second.losses.first?.systemError == EIO)
        second.device.stop()
    }

    @Test("A camera from which nothing comes is a loss after the limit, not before")
    func stall() throws {
        let clock = ManualClock(MonotonicTime(microseconds: 1_000_000))
        let camera = FakeCamera(clock: clock)
        camera.add(.silence(.milliseconds(4900)), .picture(picture), .silence(.milliseconds(5100)))
        let capture = try CameraCapture(camera, clock: clock)
        try capture.start()
        #expect(capture.wait(for: 2))
        #expect(capture.frames.count == 1)
        #expect(capture.losses.map(\.code) == [.stalled])
        #expect(
            capture.losses.first?.description
                == "/dev/video0: no picture for 5 s; check its cable and that it has a signal")
        capture.device.stop()
    }

    @Test("A driver that says ready and has nothing is a loss after the limit too")
    func readyButEmpty() throws {
        let clock = ManualClock()
        let camera = FakeCamera(clock: clock) { state in
            state.script = Array(repeating: .failure(EAGAIN), count: 4)
        }
        let capture = try CameraCapture(camera, clock: clock)
        try capture.start()
        #expect(capture.wait(for: 1))
        #expect(capture.losses.map(\.code) == [.stalled])
        capture.device.stop()
    }

    @Test("A consumer that keeps everything gets copies; the driver never runs out, and what is kept stays as it was")
    func keptFrames() throws {
        let camera = FakeCamera()
        for number in 0..<40 {
            camera.add(.picture(.init(bytes: [UInt8](repeating: UInt8(number), count: 16), sequence: UInt32(number))))
        }
        let capture = try CameraCapture(camera)
        try capture.start()
        #expect(capture.wait(for: 40))
        let counts = capture.device.statistics
        #expect(counts.delivered == 40)
        #expect(counts.copied == 37)
        #expect(camera.state.withLock { $0.queue.count } == 2)
        #expect(capture.frames.map { tightRows($0)[0] } == Array(0..<40))
        capture.letGo()
        #expect(camera.state.withLock { $0.queue.count } == 5)
        capture.device.stop()
    }

    @Test("Frames outlive the capture: their memory stays mapped, and giving them back does not touch the closed node")
    func framesAfterStop() throws {
        let camera = FakeCamera()
        camera.add(.picture(picture), .picture(picture))
        var capture: CameraCapture? = try CameraCapture(camera)
        try capture?.start()
        #expect(capture?.wait(for: 2) == true)
        var frames = capture?.frames ?? []
        capture?.letGo()
        #expect(capture?.device.stop() == true)
        capture = nil
        #expect(frames.count == 2)
        #expect(camera.state.withLock { $0.unmapped } == 0)
        #expect(frames.allSatisfy { tightRows($0) == picture.bytes })
        frames = []
        #expect(eventually { camera.state.withLock { $0.unmapped } == 5 })
        #expect(camera.state.withLock { $0.callsAfterClose } == 0)
    }

    @Test("A buffer that the driver does not take back is a loss")
    func refusedBuffer() throws {
        let camera = FakeCamera()
        camera.add(.picture(picture))
        let capture = try CameraCapture(camera)
        try capture.start()
        #expect(capture.wait(for: 1))
        camera.state.withLock { $0.failures[shim_VIDIOC_QBUF] = ENODEV }
        capture.letGo()
        #expect(capture.wait(for: 1))
        #expect(capture.losses.map(\.systemError) == [ENODEV])
        capture.device.stop()
    }

    @Test("A stop ends a silent camera at once, also from its own callback, and a second one does no harm")
    func stop() throws {
        let camera = FakeCamera()
        let capture = try CameraCapture(camera)
        try capture.start()
        #expect(capture.device.stop())
        #expect(capture.device.stop())
        #expect(camera.state.withLock { $0.isClosed })

        let second = FakeCamera()
        second.add(.picture(picture), .picture(picture))
        let device = try CameraCapture(second).device
        let results = Locked<[Bool]>([])
        try device.start(
            onPicture: { _ in
                let result = device.stop()
                results.withLock { $0.append(result) }
            }, onEvent: { _ in })
        #expect(eventually { second.state.withLock { $0.isClosed } })
        // The thread cannot wait for itself, and no second picture follows.
        #expect(results.withLock { $0 } == [false])
        #expect(device.stop())
    }

    @Test("A callback that hangs is left behind after the limit")
    func hangingCallback() throws {
        let camera = FakeCamera()
        camera.add(.picture(picture))
        let device = try CameraCapture(camera).device
        let (entered, leave) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        try device.start(
            onPicture: { _ in
                entered.signal()
                leave.wait()
            }, onEvent: { _ in })
        entered.wait()
        #expect(!device.stop(within: .milliseconds(20)))
        leave.signal()
        #expect(device.stop())
    }

    @Test("A USB bus that has no room for the camera is not called a failure of the camera")
    func bandwidth() {
        let camera = FakeCamera { $0.failures[shim_VIDIOC_STREAMON] = ENOSPC }
        let error = #expect(throws: DeviceError.self) { try CameraCapture(camera).start() }
        #expect(error?.code == .busy)
        #expect(error?.description.contains("the USB bus has not enough bandwidth left") == true)
    }

    @Test("A device that is never started is closed when it is stopped, and when it is forgotten")
    func neverStarted() throws {
        let camera = FakeCamera()
        let capture = try CameraCapture(camera)
        #expect(capture.device.stop())
        #expect(camera.state.withLock { $0.isClosed })
        try capture.start()
        #expect(camera.state.withLock { !$0.isStreaming })
    }

    @Test(
        "A device that another program uses is busy, wherever the driver says so",
        arguments: [shim_VIDIOC_S_FMT, shim_VIDIOC_REQBUFS, shim_VIDIOC_STREAMON])
    func busy(_ call: UInt) {
        let camera = FakeCamera { $0.failures[call] = EBUSY }
        let error = #expect(throws: DeviceError.self) {
            let capture = try CameraCapture(camera)
            try capture.start()
        }
        #expect(error?.code == .busy)
        #expect(error?.description.contains("in use") == true)
        #expect(camera.state.withLock { !$0.isStreaming })
    }
}
