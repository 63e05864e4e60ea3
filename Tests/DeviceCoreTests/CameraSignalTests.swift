import CLinuxShims
import CamoTypes
import Glibc
import Testing

@testable import DeviceCore

/// A receiver (HDMI): its signal is followed, and followed again when it changes.
@Suite struct CameraSignalTests {
    private let large = PixelSize(width: 8, height: 4)
    private let small = PixelSize(width: 4, height: 2)

    /// A receiver that cannot scale: whatever is asked for, its pictures are those of the signal.
    private func receiver(
        _ detected: Result<PixelSize, FakeCamera.SignalFailure>, _ steps: [FakeCamera.Step] = []
    ) -> FakeCamera {
        FakeCamera { state in
            state.signal = FakeCamera.Signal(detected: detected)
            state.offers = [.init(code: shim_V4L2_PIX_FMT_YUYV)]
            state.script = steps
        }
    }

    private func picture(_ size: PixelSize) -> FakeCamera.Step {
        .picture(.init(bytes: [UInt8](repeating: 1, count: PixelFormat.yuyv.byteCount(size))))
    }

    @Test("A receiver is set to the signal it has, and nothing larger is asked of it")
    func opened() throws {
        let camera = receiver(.success(small))
        let capture = try CameraCapture(camera, wish: CameraWish(size: large))
        #expect(camera.state.withLock { $0.signal?.adopted } == small)
        #expect(capture.device.format.size == small)
        #expect(capture.device.note == "asked for 8x4 at 30 fps, the camera gives 4x2 yuyv at 30 fps")
        // What can scale may be asked for less.
        let scaling = try CameraCapture(receiver(.success(large)), wish: CameraWish(size: small))
        #expect(scaling.device.format.size == small)
    }

    @Test(
        "Without a signal there is nothing to open, and what is wrong is said",
        arguments: [
            (ENOLINK, "no signal at its input"), (ENOLCK, "no signal at its input"),
            (ERANGE, "cannot follow the signal"),
        ])
    func noSignal(_ code: Int32, _ text: String) {
        let error = #expect(throws: DeviceError.self) {
            try CameraCapture(receiver(.failure(.init(code: code))))
        }
        #expect(error?.code == .stalled)
        #expect(error?.description.contains(text) == true)
    }

    @Test("Another signal is followed by itself: pictures of the old size, the change, pictures of the new")
    func changed() throws {
        let steps = [picture(small), .sourceChange(.success(large)), picture(large), picture(large)]
        let camera = receiver(.success(small), steps)
        let capture = try CameraCapture(camera, wish: CameraWish(size: large))
        try capture.start()
        #expect(capture.wait(for: 4))
        #expect(capture.frames.map(\.size) == [small, large, large])
        #expect(capture.changes.map(\.size) == [large])
        #expect(camera.state.withLock { $0.signal?.adopted } == large)
        #expect(capture.losses.isEmpty)
        // What was lent before the change is still there, and its buffers belong to nobody else.
        #expect(tightRows(capture.frames[0]) == [UInt8](repeating: 1, count: 16))
        #expect(capture.device.stop())
    }

    @Test("A signal that goes is a loss, which says so")
    func signalLoss() throws {
        let camera = receiver(.success(small), [picture(small), .sourceChange(.failure(.init(code: ENOLINK)))])
        let capture = try CameraCapture(camera, wish: CameraWish(size: small))
        try capture.start()
        #expect(capture.wait(for: 2))
        #expect(capture.losses.map(\.code) == [.stalled])
        #expect(capture.losses.first?.description.contains("no signal at its input") == true)
        #expect(camera.state.withLock { $0.isClosed })
        capture.device.stop()
    }

    @Test("An event that is another, and what a driver says while it changes, end nothing")
    func noise() throws {
        let camera = receiver(.success(small), [picture(small), picture(small)])
        let capture = try CameraCapture(camera, wish: CameraWish(size: small))
        camera.state.withLock { $0.events = [1, 2, 3] }
        try capture.start()
        #expect(capture.wait(for: 2))
        #expect(capture.changes.isEmpty && capture.losses.isEmpty)
        capture.device.stop()
    }
}
