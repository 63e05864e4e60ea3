import CLinuxShims
import CamoTypes
import Testing

@testable import DeviceCore

/// Which mode of a camera is taken, and what is said about it.
@Suite struct CameraFormatTests {
    private static let webcam: [CameraMode] = [
        mode(.yuyv, 640, 480, [30, 15]), mode(.yuyv, 1280, 720, [10, 5]), mode(.yuyv, 1920, 1080, [5]),
        mode(.mjpeg, 640, 480, [30]), mode(.mjpeg, 1280, 720, [30, 24]), mode(.mjpeg, 1920, 1080, [30]),
    ]

    private static func mode(_ format: CameraFormat, _ width: Int, _ height: Int, _ rates: [Double]) -> CameraMode {
        CameraMode(
            pixelCode: PixelCode(format.codes[0])!, sizes: .fixed(PixelSize(width: width, height: height)),
            rates: rates)
    }

    private static func choose(
        _ size: String, _ rate: Double, from modes: [CameraMode] = webcam,
        formats: Set<CameraFormat> = Set(CameraFormat.allCases)
    ) -> String? {
        let wish = CameraWish(size: PixelSize(size)!, framesPerSecond: rate, formats: formats)
        return ModeChoice.ranked(modes, for: wish).first.map { "\($0.mode.format) \($0.size) \($0.rate)" }
    }

    @Test(
        "The nearest size, then a rate that suffices, then the format that costs least",
        arguments: [
            ("640x480", 30, "yuyv 640x480 30.0"),
            // YUYV cannot hold the rate here.
            ("1280x720", 30, "mjpeg 1280x720 30.0"),
            ("1280x720", 10, "yuyv 1280x720 10.0"),
            ("1280x720", 25, "mjpeg 1280x720 24.0"),
            ("1280x720", 240, "mjpeg 1280x720 30.0"),
            ("1920x1080", 1, "yuyv 1920x1080 5.0"),
            ("3840x2160", 30, "mjpeg 1920x1080 30.0"),
            ("1x1", 30, "yuyv 640x480 30.0"),
            // 720p loses less than 480p enlarged, though 480p is nearer in pixels of height.
            ("1000x600", 10, "yuyv 1280x720 10.0"),
        ])
    func nearest(_ size: String, _ rate: Double, _ expected: String) {
        #expect(Self.choose(size, rate) == expected)
    }

    @Test("Only the formats that are wished for are taken")
    func formats() {
        #expect(Self.choose("1280x720", 30, formats: [.yuyv]) == "yuyv 1280x720 10.0")
        #expect(Self.choose("1280x720", 30, formats: [.nv12]) == nil)
    }

    @Test("A range of sizes gives the size itself, in its steps and limits")
    func ranges() {
        let sizes = CameraSizes.range(
            least: PixelSize(width: 16, height: 16), greatest: PixelSize(width: 1920, height: 1080),
            step: PixelSize(width: 8, height: 2))
        #expect(sizes.nearest(to: PixelSize(width: 1366, height: 767)) == PixelSize(width: 1360, height: 766))
        #expect(sizes.nearest(to: PixelSize(width: 8000, height: 4000)) == PixelSize(width: 1920, height: 1080))
        #expect(sizes.nearest(to: PixelSize(width: 1, height: 1)) == PixelSize(width: 16, height: 16))
        // A driver's nonsense: no step, and the limits the wrong way round.
        let broken = CameraSizes.range(
            least: PixelSize(width: 100, height: 100), greatest: PixelSize(width: 10, height: 10),
            step: PixelSize(width: 0, height: 0))
        #expect(broken.nearest(to: PixelSize(width: 50, height: 50)) == PixelSize(width: 100, height: 100))
    }

    @Test("What was got is said where it is not what was asked for")
    func difference() throws {
        let camera = FakeCamera { state in
            state.offers = [.init(code: shim_V4L2_PIX_FMT_YUYV, sizes: [PixelSize(width: 640, height: 480)])]
            state.interval = v4l2_fract(numerator: 2, denominator: 25)
            state.bufferSize = 640 * 480 * 2
        }
        let near = CameraWish(size: PixelSize(width: 800, height: 600), framesPerSecond: 30)
        let capture = try CameraCapture(camera, wish: near)
        #expect(capture.device.format.framesPerSecond == 12.5)
        #expect(
            capture.device.note
                == "asked for 800x600 at 30 fps, the camera gives 640x480 yuyv at 12.5 fps")
        let exact = CameraWish(size: PixelSize(width: 640, height: 480), framesPerSecond: 12.5)
        #expect(try CameraCapture(camera, wish: exact).device.note == nil)
    }

    @Test("A driver that changes the size has its way")
    func adjustedSize() throws {
        let camera = FakeCamera { $0.adjust = { ($0.width, $0.height) = (2, 2) } }
        #expect(try CameraCapture(camera).device.format.size == PixelSize(width: 2, height: 2))
    }

    @Test("A driver that gives another format than asked for is asked for the next")
    func otherFormat() throws {
        let camera = FakeCamera { state in
            state.offers = [
                .init(code: shim_V4L2_PIX_FMT_NV12, sizes: [PixelSize(width: 4, height: 2)]),
                .init(code: shim_V4L2_PIX_FMT_YUYV, sizes: [PixelSize(width: 4, height: 2)]),
            ]
            state.adjust = { $0.pixelformat = shim_V4L2_PIX_FMT_YUYV }
        }
        #expect(try CameraCapture(camera).device.format.format == .yuyv)
        #expect(camera.state.withLock { $0.setFormats } == [shim_V4L2_PIX_FMT_NV12, shim_V4L2_PIX_FMT_YUYV])
    }

    @Test("A driver that enumerates nothing is asked all the same")
    func noEnumeration() throws {
        let camera = FakeCamera { $0.offers = [] }
        #expect(try CameraCapture(camera).device.format.format == .nv12)
    }

    @Test("Colours come before size: gray is taken where there is nothing else")
    func gray() {
        let modes = [Self.mode(.gray, 1280, 720, [30]), Self.mode(.mjpeg, 640, 480, [30])]
        #expect(Self.choose("1280x720", 30, from: modes) == "mjpeg 640x480 30.0")
        #expect(Self.choose("1280x720", 30, from: [modes[0]]) == "gray 1280x720 30.0")
    }

    @Test("A camera without any format of ours says what it has")
    func noFormat() {
        // RG10 and BA81: Bayer.
        let camera = FakeCamera { $0.offers = [.init(code: 0x3031_4752), .init(code: 0x3138_4142)] }
        let error = #expect(throws: DeviceError.self) { try CameraCapture(camera) }
        #expect(error?.code == .unsupported)
        #expect(error?.description.hasPrefix("/dev/video0: offers RG10, BA81, none of which is understood") == true)
    }

    @Test("A sensor's raw data is called so; on a Raspberry Pi the line is given that makes pictures of it")
    func advice() {
        func text(_ machine: String?, wanted: Set<CameraFormat> = Set(CameraFormat.allCases)) -> String {
            FormatAdvice(offered: ["pBAA", "RG10", "pBAA"], wanted: wanted, machine: machine).text
        }
        #expect(
            text(nil) == "offers pBAA, RG10, none of which is understood; this is a sensor's raw data, which a program "
                + "of its maker or libcamera must develop")
        #expect(
            text("Raspberry Pi 4 Model B Rev 1.4").hasSuffix(
                "rpicam-vid -t 0 --codec h264 --inline --flush -o - | camo-producer --h264 -"))
        #expect(text("Raspberry Pi 5", wanted: [.yuyv]) == "offers pBAA, RG10, but yuyv is wanted")
    }

    @Test("Fields in an unknown order and sizes beyond all limits are refused")
    func impossible() {
        for adjust: @Sendable (inout v4l2_pix_format) -> Void in [
            { $0.field = 42 }, { ($0.field, $0.height) = (V4L2_FIELD_ALTERNATE.rawValue, 1) }, { $0.width = .max },
            { $0.height = 0 },
            { $0.bytesperline = .max },
        ] {
            let camera = FakeCamera { $0.adjust = adjust }
            let error = #expect(throws: DeviceError.self) { try CameraCapture(camera) }
            #expect(error?.code == .unsupported)
        }
    }
}
