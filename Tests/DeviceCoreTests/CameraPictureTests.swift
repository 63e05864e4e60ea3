import CLinuxShims
import CamoTypes
import Confinement
import Glibc
import Testing

@testable import DeviceCore

/// What is in the pictures of a camera: rows, sizes, bytes, times.
@Suite struct CameraPictureTests {
    private let rows: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]

    @Test("Rows with 64 bytes of padding arrive without it, and nothing is read behind the last row")
    func stride() throws {
        let camera = FakeCamera { state in
            state.adjust = { $0.bytesperline = 2 * 4 + 64 }
        }
        // Two rows of YUYV; the padding is magenta, and there is none behind the last row.
        let padded = rows[..<8] + Array(repeating: 0xDD, count: 64) + rows[8...]
        camera.add(.picture(.init(bytes: Array(padded))))
        let capture = try CameraCapture(camera)
        try capture.start()
        #expect(capture.wait(for: 1))
        let frame = try #require(capture.frames.first)
        #expect(frame.size == PixelSize(width: 4, height: 2))
        #expect(tightRows(frame) == rows)
        #expect(frame.withPlanes { $0[0].stride } == 72)
        #expect(capture.device.stop())
    }

    @Test("A stride shorter than a row is refused with a sentence, not read")
    func shortStride() {
        let camera = FakeCamera { $0.adjust = { $0.bytesperline = 7 } }
        let error = #expect(throws: DeviceError.self) { try CameraCapture(camera) }
        #expect(error?.code == .unsupported)
        #expect(error?.description.contains("7 bytes") == true)
    }

    @Test("NV12 comes as two planes of the same stride")
    func nv12() throws {
        let camera = FakeCamera { state in
            state.offers = [.init(code: shim_V4L2_PIX_FMT_NV12, sizes: [PixelSize(width: 4, height: 2)])]
            state.adjust = { $0.bytesperline = 6 }
        }
        camera.add(.picture(.init(bytes: [1, 2, 3, 4, 99, 99, 5, 6, 7, 8, 99, 99, 20, 21, 22, 23, 99, 99])))
        let capture = try CameraCapture(camera)
        try capture.start()
        #expect(capture.wait(for: 1))
        let frame = try #require(capture.frames.first)
        #expect(tightRows(frame) == [1, 2, 3, 4, 5, 6, 7, 8])
        #expect(tightRows(frame, plane: 1) == [20, 21, 22, 23])
        capture.device.stop()
    }

    @Test("Pictures are lent, not copied: their planes are the driver's own memory", arguments: [false, true])
    func lent(isNV12: Bool) throws {
        let camera = FakeCamera { state in
            guard isNV12 else { return }
            state.offers = [.init(code: shim_V4L2_PIX_FMT_NV12, sizes: [PixelSize(width: 4, height: 2)])]
        }
        camera.add(.picture(.init(bytes: isNV12 ? Array(rows[..<12]) : rows)))
        let capture = try CameraCapture(camera)
        try capture.start()
        #expect(capture.wait(for: 1))
        let frame = try #require(capture.frames.first)
        let planes = frame.withPlanes { $0.map { UInt(bitPattern: $0.bytes.baseAddress) } }
        let buffer = camera.state.withLock { UInt(bitPattern: $0.memory[0]) }
        #expect(planes == (isNV12 ? [buffer, buffer + 8] : [buffer]))
        #expect(capture.device.statistics.copied == 0)
        capture.device.stop()
    }

    @Test("Only the bytes that the driver has used are handed on: nothing is left of a larger JPEG before")
    func bytesUsed() throws {
        let camera = FakeCamera { state in
            state.offers = [.init(code: shim_V4L2_PIX_FMT_MJPEG, sizes: [PixelSize(width: 4, height: 2)])]
        }
        let large = [UInt8](repeating: 7, count: 3000)
        let capture = try CameraCapture(camera, keeps: false)
        let sizes = Locked<[[UInt8]]>([])
        // The same five buffers, used over and over.
        for _ in 0..<5 { camera.add(.picture(.init(bytes: large))) }
        for length in 1...5 { camera.add(.picture(.init(bytes: large, bytesUsed: length))) }
        try capture.device.start(
            onPicture: { picture in
                guard case .compressed(let frame) = picture else { return }
                let bytes = frame.withBytes { Array($0) }
                sizes.withLock { $0.append(bytes) }
            }, onEvent: { _ in })
        #expect(eventually { sizes.withLock { $0.count } == 10 })
        #expect(sizes.withLock { $0.map(\.count) } == [3000, 3000, 3000, 3000, 3000, 1, 2, 3, 4, 5])
        capture.device.stop()
    }

    @Test("Damaged, empty and short pictures are counted and their buffers go back; the next good one arrives")
    func badPictures() throws {
        let camera = FakeCamera()
        camera.add(
            .picture(.init(bytes: rows, flags: UInt32(V4L2_BUF_FLAG_ERROR))),
            .picture(.init(bytes: rows, bytesUsed: 0)),
            .picture(.init(bytes: rows, bytesUsed: 15)),
            // A driver that claims more than its buffer holds.
            .picture(.init(bytes: rows, bytesUsed: 1 << 30)))
        let capture = try CameraCapture(camera, keeps: false)
        try capture.start()
        #expect(capture.wait(for: 1))
        let counts = capture.device.statistics
        #expect(counts == VideoCaptureStatistics(delivered: 1, damaged: 1, empty: 1, short: 1))
        #expect(eventually { camera.state.withLock { $0.queue.count } == 5 })
        #expect(capture.losses.isEmpty)
        capture.device.stop()
    }

    @Test("A short NV12 picture that lacks all its chroma is counted, not read")
    func shortNV12() throws {
        let camera = FakeCamera { state in
            state.offers = [.init(code: shim_V4L2_PIX_FMT_NV12, sizes: [PixelSize(width: 4, height: 2)])]
        }
        for length in [1, 7, 8, 9, 11] {
            camera.add(.picture(.init(bytes: Array(rows[..<12]), bytesUsed: length)))
        }
        camera.add(.picture(.init(bytes: Array(rows[..<12]))))
        let capture = try CameraCapture(camera)
        try capture.start()
        #expect(capture.wait(for: 1))
        #expect(capture.device.statistics.short == 5)
        #expect(capture.frames.count == 1)
        capture.device.stop()
    }

    @Test("Pictures that the driver skipped are counted by its sequence numbers, across their wrap")
    func sequence() throws {
        let camera = FakeCamera()
        for sequence: UInt32 in [.max - 1, 1, 2, 0, 1] {
            camera.add(.picture(.init(bytes: rows, sequence: sequence)))
        }
        let capture = try CameraCapture(camera, keeps: false)
        try capture.start()
        #expect(capture.wait(for: 5))
        // max, 0 lie between the first two; the step back is a driver that began anew.
        #expect(capture.device.statistics.missed == 2)
        capture.device.stop()
    }

    @Test("The driver's monotonic stamp is the picture's time; without that clock it is the arrival")
    func times() throws {
        let clock = ManualClock(MonotonicTime(microseconds: 50_000_000))
        let camera = FakeCamera(clock: clock)
        camera.add(
            .picture(
                .init(
                    bytes: rows, flags: UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC),
                    stamp: timeval(tv_sec: 49, tv_usec: 990_000))),
            .picture(.init(bytes: rows, stamp: timeval(tv_sec: 1_700_000_000, tv_usec: 0))))
        let capture = try CameraCapture(camera, clock: clock)
        try capture.start()
        #expect(capture.wait(for: 2))
        #expect(capture.frames.map { $0.presentationTime?.microseconds } == [49_990_000, 50_000_000])
        #expect(capture.device.statistics.doubtfulStamps == 0)
        capture.device.stop()
    }
}

/// Waits at most 5 s for what another thread is about to do.
func eventually(_ condition: () -> Bool) -> Bool {
    for _ in 0..<5000 {
        if condition() { return true }
        usleep(1000)
    }
    return condition()
}
