import CLinuxShims
import CamoTypes
import Glibc
import Testing

@testable import DeviceCore

/// Where the planes of each format are found in a driver's buffers, with both of V4L2's APIs.
@Suite struct CameraPlaneTests {
    /// What a 4x2 picture is in memory, with rows padded to 6 bytes where that is said, and what its planes must be.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var code: UInt32
        var memories: [[UInt8]]
        var strides: [UInt32] = [0]
        var format: PixelFormat
        var planes: [[UInt8]]
        var testDescription: String { name }

        fileprivate func camera(_ caps: Int32, dataOffset: Int = 0) -> FakeCamera {
            let camera = FakeCamera { state in
                state.caps = UInt32(caps | V4L2_CAP_STREAMING)
                state.offers = [.init(code: code, sizes: [PixelSize(width: 4, height: 2)])]
                state.adjust = { [strides] in $0.bytesperline = strides[0] }
                state.planeStrides = strides
            }
            camera.add(
                .picture(.init(bytes: memories[0], others: Array(memories.dropFirst()), dataOffset: dataOffset)))
            return camera
        }
    }

    private static let luma: [UInt8] = [1, 2, 3, 4, 5, 6, 7, 8]
    private static let paddedLuma: [UInt8] = [1, 2, 3, 4, 0xEE, 0xEE, 5, 6, 7, 8, 0xEE, 0xEE]
    private static let pixels = [UInt8](1...24)

    private static let oneMemory: [Case] = [
        Case(
            name: "YU12", code: shim_V4L2_PIX_FMT_YUV420, memories: [luma + [20, 21, 30, 31]], format: .i420,
            planes: [luma, [20, 21], [30, 31]]),
        Case(
            name: "YU12, padded", code: shim_V4L2_PIX_FMT_YUV420,
            memories: [paddedLuma + [20, 21, 0xEE, 30, 31, 0xEE]], strides: [6], format: .i420,
            planes: [luma, [20, 21], [30, 31]]),
        Case(
            name: "YV12", code: shim_V4L2_PIX_FMT_YVU420, memories: [luma + [30, 31, 20, 21]], format: .i420,
            planes: [luma, [20, 21], [30, 31]]),
        Case(
            name: "NV12, padded", code: shim_V4L2_PIX_FMT_NV12, memories: [paddedLuma + [20, 30, 21, 31, 0xEE, 0xEE]],
            strides: [6], format: .nv12, planes: [luma, [20, 30, 21, 31]]),
        Case(
            name: "NV21", code: shim_V4L2_PIX_FMT_NV21, memories: [luma + [30, 20, 31, 21]], format: .nv21,
            planes: [luma, [30, 20, 31, 21]]),
        Case(
            name: "UYVY", code: shim_V4L2_PIX_FMT_UYVY, memories: [Array(pixels.prefix(16))], format: .uyvy,
            planes: [Array(pixels.prefix(16))]),
        Case(
            name: "RGB3", code: shim_V4L2_PIX_FMT_RGB24, memories: [pixels], format: .rgb24, planes: [pixels]),
        Case(
            name: "BGR3", code: shim_V4L2_PIX_FMT_BGR24, memories: [pixels], format: .bgr24, planes: [pixels]),
        Case(
            name: "GREY, padded", code: shim_V4L2_PIX_FMT_GREY, memories: [Array(paddedLuma.dropLast(2))],
            strides: [6], format: .gray, planes: [luma]),
    ]

    private static let splitMemories: [Case] = [
        Case(
            name: "NM12", code: shim_V4L2_PIX_FMT_NV12M, memories: [luma, [20, 30, 21, 31]], strides: [0, 0],
            format: .nv12, planes: [luma, [20, 30, 21, 31]]),
        Case(
            name: "NM21, padded", code: shim_V4L2_PIX_FMT_NV21M, memories: [paddedLuma, [30, 20, 31, 21]],
            strides: [6, 8], format: .nv21, planes: [luma, [30, 20, 31, 21]]),
        Case(
            name: "YM12", code: shim_V4L2_PIX_FMT_YUV420M, memories: [luma, [20, 21], [30, 31]], strides: [4, 2, 2],
            format: .i420, planes: [luma, [20, 21], [30, 31]]),
        Case(
            name: "YM21", code: shim_V4L2_PIX_FMT_YVU420M, memories: [luma, [30, 31], [20, 21]], strides: [4, 2, 2],
            format: .i420, planes: [luma, [20, 21], [30, 31]]),
    ]

    private func check(_ wanted: Case, _ camera: FakeCamera) throws {
        let capture = try CameraCapture(camera)
        try capture.start()
        #expect(capture.wait(for: 1))
        let frame = try #require(capture.frames.first)
        #expect(frame.format == wanted.format)
        #expect(wanted.planes.indices.map { tightRows(frame, plane: $0) } == wanted.planes)
        #expect(capture.device.stop())
    }

    @Test(arguments: oneMemory) func singlePlanar(_ wanted: Case) throws {
        try check(wanted, wanted.camera(V4L2_CAP_VIDEO_CAPTURE))
    }

    @Test(arguments: oneMemory + splitMemories) func multiPlanar(_ wanted: Case) throws {
        try check(wanted, wanted.camera(V4L2_CAP_VIDEO_CAPTURE_MPLANE))
        try check(wanted, wanted.camera(V4L2_CAP_VIDEO_CAPTURE_MPLANE, dataOffset: 32))
    }

    @Test("A buffer that lacks a memory, or all that a memory should hold, is counted and goes back")
    func missingMemory() throws {
        let camera = Self.splitMemories[0].camera(V4L2_CAP_VIDEO_CAPTURE_MPLANE)
        camera.state.withLock { state in
            state.script = [
                .picture(.init(bytes: Self.luma, others: [[]])), .picture(.init(bytes: [], others: [[1, 2, 3, 4]])),
                .picture(.init(bytes: [], others: [[]])), .picture(.init(bytes: Self.luma, others: [[1, 2, 3]])),
                .picture(.init(bytes: Self.luma, others: [[1, 2, 3, 4]])),
            ]
        }
        let capture = try CameraCapture(camera, keeps: false)
        try capture.start()
        #expect(capture.wait(for: 1))
        #expect(capture.device.statistics == VideoCaptureStatistics(delivered: 1, empty: 1, short: 3))
        #expect(eventually { camera.state.withLock { $0.queue.count } == 5 })
        capture.device.stop()
    }

    @Test("A copy, made where the driver runs short, has all memories")
    func copies() throws {
        let wanted = Self.splitMemories[2]
        let camera = wanted.camera(V4L2_CAP_VIDEO_CAPTURE_MPLANE)
        let picture = FakeCamera.Picture(bytes: wanted.memories[0], others: Array(wanted.memories.dropFirst()))
        for _ in 0..<9 { camera.add(.picture(picture)) }
        let capture = try CameraCapture(camera)
        try capture.start()
        #expect(capture.wait(for: 10))
        #expect(capture.device.statistics.copied == 7)
        for frame in capture.frames { #expect((0..<3).map { tightRows(frame, plane: $0) } == wanted.planes) }
        capture.device.stop()
    }

    @Test("A stride of any memory that is shorter than its row is refused")
    func shortStride() {
        var wanted = Self.splitMemories[2]
        wanted.strides = [4, 1, 2]
        let error = #expect(throws: DeviceError.self) {
            try CameraCapture(wanted.camera(V4L2_CAP_VIDEO_CAPTURE_MPLANE))
        }
        #expect(error?.description.contains("take 4, 1, 2 bytes; they take 4, 2, 2") == true)
    }
}
