import CLinuxShims
import CamoTypes
import Glibc
import Testing

@testable import DeviceCore

@Suite struct VirtualCameraTests {
    private let size = PixelSize(width: 64, height: 36)

    private func open(_ node: FakeOutputNode, _ size: PixelSize? = nil) throws -> VirtualCamera {
        try VirtualCamera(
            at: node.path, size: size ?? self.size, nodes: FakeOutputNodes(node: node), files: FakeFiles())
    }

    private func refusal(_ node: FakeOutputNode) throws -> DeviceError {
        try #require(throws: DeviceError.self) { _ = try open(node) }
    }

    private func send(_ byte: UInt8, to camera: VirtualCamera) throws -> Bool {
        try camera.send { $0.initializeMemory(as: UInt8.self, repeating: byte) }
    }

    @Test func `pictures come as YUYV, in exactly their bytes, in order`() throws {
        let node = FakeOutputNode()
        let camera = try open(node)
        #expect(camera.format == VirtualCameraFormat(pixels: .yuyv, size: size))
        for byte in 1...9 { #expect(try send(UInt8(byte), to: camera)) }
        let pictures = node.state.withLock { $0.pictures }
        let expected = (1...9).map { [UInt8](repeating: UInt8($0), count: 64 * 36 * 2) }
        #expect(pictures == expected)
    }

    @Test func `the buffer given back longest ago is filled next`() throws {
        let node = FakeOutputNode()
        let camera = try open(node)
        for byte in 1...9 { _ = try send(UInt8(byte), to: camera) }
        // A driver that gives back what it was given last must not have one buffer written over and over.
        #expect(node.state.withLock { $0.indices } == [0, 1, 2, 3, 0, 1, 2, 3, 0])
    }

    @Test func `a reader that asks for fewer buffers does not see old pictures`() throws {
        let node = FakeOutputNode()
        let camera = try open(node)
        _ = try send(1, to: camera)
        node.state.withLock { $0.used = 2 }
        for byte in 2...9 { _ = try send(UInt8(byte), to: camera) }
        let firsts = node.state.withLock { $0.pictures.compactMap(\.first) }
        #expect(firsts == Array(1...9))
    }

    @Test func `odd sizes are made even`() throws {
        let camera = try open(FakeOutputNode(), PixelSize(width: 65, height: 37))
        #expect(camera.format.size == size)
    }

    @Test(arguments: [(PixelFormat.i420, 6_144), (.nv12, 6_144), (.yuyv, 8_192)])
    func `what readers hold is kept`(pixels: PixelFormat, bytes: Int) throws {
        let code = try #require(VirtualCameraFormat.preferred.first { $0.pixels == pixels }?.code)
        let node = FakeOutputNode { $0.held = (PixelSize(width: 64, height: 64), code) }
        let camera = try open(node)
        #expect(camera.format == VirtualCameraFormat(pixels: pixels, size: PixelSize(width: 64, height: 64)))
        _ = try send(7, to: camera)
        #expect(node.state.withLock { $0.pictures.last?.count } == bytes)
    }

    @Test func `a device held in another format is refused with its name`() throws {
        let error = try refusal(
            FakeOutputNode { $0.held = (PixelSize(width: 64, height: 64), shim_V4L2_PIX_FMT_MJPEG) })
        #expect(error.code == .unsupported)
        #expect(error.description.contains("held at 64x64 MJPG"))
    }

    @Test func `the next format is tried where one is refused`() throws {
        let camera = try open(FakeOutputNode { $0.refusedCodes = [shim_V4L2_PIX_FMT_YUYV] })
        #expect(camera.format.pixels == .i420)
    }

    @Test func `a stuck device loses pictures and holds up nobody`() throws {
        let node = FakeOutputNode { $0.isStuck = true }
        let camera = try open(node)
        let taken = try (1...6).map { try send($0, to: camera) }
        #expect(taken == [true, true, true, true, false, false])
        node.state.withLock { $0.isStuck = false }
        #expect(try send(7, to: camera))
    }

    @Test func `a picture that cannot be made is not shown`() throws {
        struct NoPicture: Error {}
        let node = FakeOutputNode()
        let camera = try open(node)
        #expect(throws: NoPicture.self) { try camera.send { _ in throw NoPicture() } }
        #expect(try send(1, to: camera))
        #expect(node.state.withLock { $0.pictures.count } == 1)
    }

    @Test func `a device that has gone is a loss`() throws {
        let node = FakeOutputNode()
        let camera = try open(node)
        node.state.withLock { $0.failures = [shim_VIDIOC_QBUF: ENODEV] }
        let error = #expect(throws: DeviceError.self) { try send(1, to: camera) }
        #expect(error?.code == .disconnected)
    }

    @Test func `it is closed with nothing mapped, and can be opened again`() throws {
        let node = FakeOutputNode()
        try open(node).close()
        #expect(node.state.withLock { $0.isClosed && !$0.isStreaming && $0.mapped == 0 })
        let camera = try open(node, PixelSize(width: 32, height: 32))
        #expect(camera.format.size == PixelSize(width: 32, height: 32))
        #expect(try send(1, to: camera))
    }

    @Test(arguments: [shim_VIDIOC_S_FMT, shim_VIDIOC_REQBUFS, shim_VIDIOC_STREAMON])
    func `another writer is busy, and nothing stays open`(call: UInt) throws {
        let node = FakeOutputNode { $0.failures = [call: EBUSY] }
        #expect(try refusal(node).code == .busy)
        #expect(node.state.withLock { $0.isClosed && $0.mapped == 0 })
    }

    @Test func `with exclusive_caps a device that is fed already is busy`() throws {
        let error = try refusal(FakeOutputNode { $0.caps = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING) })
        #expect(error.code == .busy)
        #expect(error.description.contains("another program feeds it"))
    }

    @Test func `a device that a program has left unusable is said to need a reload`() throws {
        let error = try refusal(FakeOutputNode { $0.caps = UInt32(V4L2_CAP_STREAMING) })
        #expect(error.code == .busy)
        #expect(error.description.contains("sudo modprobe -r v4l2loopback && sudo modprobe v4l2loopback"))
    }

    @Test func `a webcam is no virtual camera`() throws {
        let error = try refusal(
            FakeOutputNode {
                $0.driver = "uvcvideo"
                $0.caps = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)
            })
        #expect(error.code == .notAnOutputDevice)
        #expect(error.description.contains("sudo modprobe v4l2loopback exclusive_caps=1"))
    }

    @Test func `a missing module is named with the command that loads it`() throws {
        let error = try #require(throws: DeviceError.self) {
            _ = try VirtualCamera(at: "/dev/video7", size: size, nodes: FakeOutputNodes(), files: FakeFiles())
        }
        #expect(error.code == .notFound)
        #expect(
            error.description.contains("sudo modprobe v4l2loopback exclusive_caps=1 card_label=Camo video_nr=7"))
    }

    @Test func `where the module is loaded its devices are named`() throws {
        let files = FakeFiles(texts: [
            "/sys/module/v4l2loopback/parameters/exclusive_caps": "Y,N",
            "/sys/devices/virtual/video4linux/video2/max_openers": "10",
        ])
        let error = try #require(throws: DeviceError.self) {
            _ = try VirtualCamera(at: "/dev/video7", size: size, nodes: FakeOutputNodes(), files: files)
        }
        #expect(error.description.contains("the virtual cameras of this machine are /dev/video2"))
    }

    @Test func `no permission is told apart`() throws {
        let refusal = DeviceError(.permissionDenied, device: "/dev/video9", "this user may not open it")
        let error = try #require(throws: DeviceError.self) {
            _ = try VirtualCamera(
                at: "/dev/video9", size: size, nodes: FakeOutputNodes(refusal: refusal), files: FakeFiles())
        }
        #expect(error.code == .permissionDenied)
    }
}

@Suite struct LoopbackModuleTests {
    private let module = "/sys/module/v4l2loopback/parameters"
    private let nodes = "/sys/devices/virtual/video4linux"

    @Test func `no module, no devices`() {
        #expect(LoopbackModule.read(FakeFiles()) == LoopbackModule(isLoaded: false, devices: []))
    }

    @Test func `devices are found with their names, and whether they are cameras to Chrome`() {
        let files = FakeFiles(texts: [
            "\(module)/exclusive_caps": "N,Y,N,N,N,N,N,N", "\(module)/video_nr": "9,3,-1,-1,-1,-1,-1,-1",
            "\(nodes)/video9/max_openers": "10", "\(nodes)/video9/name": "Second",
            "\(nodes)/video3/max_openers": "10", "\(nodes)/video3/name": "Camo",
            "\(nodes)/video5/name": "another module's",
        ])
        #expect(
            LoopbackModule.read(files).devices == [
                .init(path: "/dev/video3", label: "Camo", isExclusive: true),
                .init(path: "/dev/video9", label: "Second", isExclusive: false),
            ])
    }

    @Test func `numbers that the kernel chose go by their order`() {
        let files = FakeFiles(texts: [
            "\(module)/exclusive_caps": "1,0", "\(module)/video_nr": "-1,-1",
            "\(nodes)/video0/max_openers": "10", "\(nodes)/video1/max_openers": "10",
        ])
        #expect(LoopbackModule.read(files).devices.map(\.isExclusive) == [true, false])
    }

    @Test(arguments: [("/dev/video9", " video_nr=9"), ("/dev/v4l/by-id/x", ""), ("/dev/videoX", "")])
    func `the command that loads it names the device`(path: String, end: String) {
        #expect(
            LoopbackModule.loadCommand(for: path) == "sudo modprobe v4l2loopback exclusive_caps=1 card_label=Camo" + end
        )
    }
}
