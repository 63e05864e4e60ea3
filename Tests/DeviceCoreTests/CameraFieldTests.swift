import CLinuxShims
import CamoTypes
import Confinement
import Glibc
import Testing

@testable import DeviceCore

/// Interlaced signals: fields become frames, and that is said.
@Suite struct CameraFieldTests {
    /// Rows of 4 gray pixels; each row has its number.
    private func rows(_ numbers: UInt8...) -> [UInt8] { numbers.flatMap { [UInt8](repeating: $0, count: 4) } }

    /// Gray pictures, 4 pixels wide, `height` rows in a buffer.
    private func camera(_ field: v4l2_field, height: UInt32, code: UInt32 = shim_V4L2_PIX_FMT_GREY) -> FakeCamera {
        FakeCamera { state in
            state.offers = [.init(code: code, sizes: [PixelSize(width: 4, height: Int(height))])]
            state.adjust = { ($0.field, $0.height) = (field.rawValue, height) }
        }
    }

    private func field(
        _ bytes: [UInt8], _ parity: v4l2_field, _ sequence: UInt32, at milliseconds: Int = 0, flags: Int32 = 0
    ) -> FakeCamera.Step {
        .picture(
            .init(
                bytes: bytes, flags: UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC | flags), sequence: sequence,
                field: parity.rawValue, stamp: timeval(tv_sec: 50, tv_usec: milliseconds * 1000)))
    }

    private func capture(_ camera: FakeCamera, _ steps: [FakeCamera.Step]) throws -> CameraCapture {
        camera.state.withLock { $0.script = steps }
        let capture = try CameraCapture(
            camera, wish: CameraWish(size: PixelSize(width: 4, height: 4)),
            clock: ManualClock(MonotonicTime(microseconds: 50_100_000)))
        try capture.start()
        return capture
    }

    @Test("Two fields in two buffers are one frame of both heights, with the time of the second")
    func alternating() throws {
        let camera = camera(V4L2_FIELD_ALTERNATE, height: 2)
        let capture = try capture(
            camera,
            [
                field(rows(1, 3), V4L2_FIELD_TOP, 0), field(rows(2, 4), V4L2_FIELD_BOTTOM, 0, at: 20),
                field(rows(6, 8), V4L2_FIELD_BOTTOM, 1, at: 40), field(rows(5, 7), V4L2_FIELD_TOP, 1, at: 60),
            ])
        #expect(capture.wait(for: 2))
        #expect(capture.device.format.size == PixelSize(width: 4, height: 4))
        #expect(capture.frames.map(\.size) == [PixelSize(width: 4, height: 4), PixelSize(width: 4, height: 4)])
        #expect(capture.frames.map { tightRows($0) } == [rows(1, 2, 3, 4), rows(5, 6, 7, 8)])
        #expect(capture.frames.map { $0.presentationTime?.microseconds } == [50_020_000, 50_060_000])
        #expect(capture.device.statistics == VideoCaptureStatistics(delivered: 2))
        // The driver has all its buffers back, though both frames are kept.
        #expect(eventually { camera.state.withLock { $0.queue.count } == 5 })
        capture.device.stop()
    }

    @Test("A frame that has lost a field shows the rows of the other twice; the next is whole")
    func lostField() throws {
        let camera = camera(V4L2_FIELD_ALTERNATE, height: 2)
        let capture = try capture(
            camera,
            [
                field(rows(1, 3), V4L2_FIELD_TOP, 0), field(rows(5, 7), V4L2_FIELD_TOP, 1, at: 40),
                // Damaged: as good as lost. Cut short: the same.
                field(rows(6, 8), V4L2_FIELD_BOTTOM, 1, at: 60, flags: V4L2_BUF_FLAG_ERROR),
                field(Array(rows(9, 11).dropLast()), V4L2_FIELD_TOP, 2, at: 70),
                field(rows(10, 12), V4L2_FIELD_BOTTOM, 2, at: 80), field(rows(13, 15), V4L2_FIELD_TOP, 3, at: 90),
                field(rows(14, 16), V4L2_FIELD_BOTTOM, 3, at: 100),
            ])
        #expect(capture.wait(for: 4))
        #expect(
            capture.frames.map { tightRows($0) } == [
                rows(1, 1, 3, 3), rows(5, 5, 7, 7), rows(10, 10, 12, 12), rows(13, 14, 15, 16),
            ])
        #expect(capture.device.statistics == VideoCaptureStatistics(delivered: 4, damaged: 1, short: 1, halved: 3))
        capture.device.stop()
    }

    @Test("Fields that do not say which they are become a frame each")
    func unknownField() throws {
        let steps = (0..<3).map { field(rows(UInt8($0), 9), V4L2_FIELD_ANY, UInt32($0), at: $0 * 20) }
        let capture = try capture(camera(V4L2_FIELD_ALTERNATE, height: 2), steps)
        #expect(capture.wait(for: 3))
        #expect(capture.frames.map { tightRows($0) } == [rows(0, 0, 9, 9), rows(1, 1, 9, 9), rows(2, 2, 9, 9)])
        capture.device.stop()
    }

    @Test(
        "Two fields in one buffer are put together by their order", arguments: [V4L2_FIELD_SEQ_TB, V4L2_FIELD_SEQ_BT])
    func sequential(_ order: v4l2_field) throws {
        let bytes = order == V4L2_FIELD_SEQ_TB ? rows(1, 3, 2, 4) : rows(2, 4, 1, 3)
        let capture = try capture(
            camera(order, height: 4), [field(Array(bytes.dropLast()), order, 0), field(bytes, order, 1, at: 20)])
        #expect(capture.wait(for: 1))
        #expect(capture.frames.map { tightRows($0) } == [rows(1, 2, 3, 4)])
        #expect(capture.device.statistics == VideoCaptureStatistics(delivered: 1, short: 1))
        capture.device.stop()
    }

    @Test("Each plane of a picture is put together, padded rows too")
    func planes() throws {
        let camera = camera(V4L2_FIELD_ALTERNATE, height: 2, code: shim_V4L2_PIX_FMT_NV12)
        camera.state.withLock { state in
            state.adjust = { ($0.field, $0.height, $0.bytesperline) = (V4L2_FIELD_ALTERNATE.rawValue, 2, 5) }
        }
        func padded(_ numbers: UInt8...) -> [UInt8] { numbers.flatMap { [UInt8](repeating: $0, count: 4) + [99] } }
        let capture = try capture(
            camera,
            [
                field(padded(1, 3, 21), V4L2_FIELD_TOP, 0), field(padded(2, 4, 22), V4L2_FIELD_BOTTOM, 0),
                field(padded(6, 8, 24), V4L2_FIELD_BOTTOM, 1), field(padded(10, 12, 26), V4L2_FIELD_BOTTOM, 2),
            ])
        #expect(capture.wait(for: 2))
        #expect(capture.frames.map { tightRows($0) } == [rows(1, 2, 3, 4), rows(6, 6, 8, 8)])
        #expect(capture.frames.map { tightRows($0, plane: 1) } == [rows(21, 22), rows(24, 24)])
        capture.device.stop()
    }

    @Test(
        "That a picture is made of two moments, or half there, is said",
        arguments: [
            (V4L2_FIELD_ALTERNATE, "interlaced"), (V4L2_FIELD_INTERLACED, "interlaced"),
            (V4L2_FIELD_INTERLACED_TB, "interlaced"), (V4L2_FIELD_INTERLACED_BT, "interlaced"),
            (V4L2_FIELD_SEQ_TB, "interlaced"), (V4L2_FIELD_TOP, "every other row"),
            (V4L2_FIELD_BOTTOM, "every other row"),
        ])
    func said(_ field: v4l2_field, _ text: String) throws {
        let height: UInt32 = field == V4L2_FIELD_ALTERNATE ? 2 : 4
        let exact = CameraWish(size: PixelSize(width: 4, height: 4), framesPerSecond: 30)
        let note = try CameraCapture(camera(field, height: height), wish: exact).device.note
        #expect(note?.hasPrefix("4x4 gray at 30 fps; ") == true)
        #expect(note?.contains(text) == true)
        #expect(try CameraCapture(camera(V4L2_FIELD_NONE, height: 4), wish: exact).device.note == nil)
    }

    @Test("Pictures that come woven are the driver's own memory, not a copy")
    func notCopied() throws {
        let camera = camera(V4L2_FIELD_INTERLACED, height: 4)
        let capture = try capture(camera, [field(rows(1, 2, 3, 4), V4L2_FIELD_INTERLACED, 0)])
        #expect(capture.wait(for: 1))
        #expect(capture.frames.map { tightRows($0) } == [rows(1, 2, 3, 4)])
        #expect(camera.state.withLock { $0.queue.count } == 4)
        capture.device.stop()
    }

    @Test("Where the device scales, a field of half the height is asked for")
    func scaling() throws {
        let camera = FakeCamera { state in
            state.offers = [
                .init(
                    code: shim_V4L2_PIX_FMT_GREY,
                    range: (
                        PixelSize(width: 4, height: 2), PixelSize(width: 64, height: 64), PixelSize(width: 1, height: 1)
                    )
                )
            ]
            state.adjust = { $0.field = V4L2_FIELD_ALTERNATE.rawValue }
        }
        let capture = try CameraCapture(camera, wish: CameraWish(size: PixelSize(width: 8, height: 8)))
        #expect(camera.state.withLock { $0.setHeights } == [8, 4])
        #expect(capture.device.format.size == PixelSize(width: 8, height: 8))
    }

    @Test("A field that is coded for itself is refused")
    func coded() {
        let error = #expect(throws: DeviceError.self) {
            try CameraCapture(camera(V4L2_FIELD_ALTERNATE, height: 2, code: shim_V4L2_PIX_FMT_MJPEG))
        }
        #expect(error?.code == .unsupported)
    }
}
