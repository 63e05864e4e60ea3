import CLinuxShims
import CamoTypes
import Glibc
import Testing

@testable import DeviceCore

/// Which nodes are cameras, and which camera a name means.
@Suite struct VideoDeviceTests {
    private func node(_ number: Int, _ caps: Int32...) -> FakeCamera {
        FakeCamera("/dev/video\(number)") { state in
            state.caps = caps.reduce(0) { $0 | UInt32(bitPattern: $1) }
            state.card = "Camera \(number)"
            state.bus = "usb-\(number)"
        }
    }

    private func nodes() -> FakeVideoNodes {
        FakeVideoNodes(
            cameras: [
                node(0, V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_STREAMING),
                node(1, V4L2_CAP_META_CAPTURE, V4L2_CAP_STREAMING),
                node(2, V4L2_CAP_VIDEO_OUTPUT, V4L2_CAP_STREAMING),
                node(3, V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_STREAMING, V4L2_CAP_READWRITE),
                node(4, V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_READWRITE),
                node(5, V4L2_CAP_VIDEO_CAPTURE_MPLANE, V4L2_CAP_STREAMING),
            ],
            refused: [
                "/dev/video6": DeviceError(.permissionDenied, device: "/dev/video6", "this user may not open it")
            ],
            attributes: [
                "/dev/video0/index": "0", "/dev/video0/device/../serial": "AB12CD34",
                "/dev/video0/device/../idVendor": "046d", "/dev/video0/device/../idProduct": "0825",
                "/dev/video3/index": "1",
            ])
    }

    @Test("Only nodes that capture pictures and stream are listed; the others are told apart")
    func list() {
        let survey = VideoDevice.survey(nodes: nodes())
        #expect(survey.devices.map(\.path) == ["/dev/video0", "/dev/video3", "/dev/video5"])
        #expect(survey.devices.map(\.id) == ["usb:046d:0825:AB12CD34:0", "bus:usb-3:1", "bus:usb-5:0"])
        #expect(survey.devices.map(\.name) == ["Camera 0", "Camera 3", "Camera 5"])
        #expect(survey.problems.map(\.device) == ["/dev/video4", "/dev/video6"])
        #expect(survey.problems.map(\.code) == [.unsupported, .permissionDenied])
    }

    @Test("An ID is text that a person can type and a studio accepts, whatever the device says of itself")
    func identity() throws {
        var machine = nodes()
        machine.attributes["/dev/video0/device/../serial"] = "AB  12\u{1B}[31m\u{FFFD}\t34"
        #expect(VideoDevice.list(nodes: machine).first?.id == "usb:046d:0825:AB 12 [31m\u{FFFD} 34:0")
        // A serial number that is none: two such cameras are told apart by their place.
        for serial in ["", " "] {
            machine.attributes["/dev/video0/device/../serial"] = serial
            #expect(VideoDevice.list(nodes: machine).first?.id == "bus:usb-0:0")
            #expect(VideoDevice.list(nodes: machine).first?.serial == nil)
        }
        machine.cameras[0].state.withLock { $0.bus = "usb-\u{7}  1" }
        #expect(VideoDevice.list(nodes: machine).first?.id == "bus:usb-? 1:0")
    }

    @Test("A camera is found by path, id and name")
    func find() throws {
        #expect(try VideoDevice.find("/dev/video3", nodes: nodes()).name == "Camera 3")
        #expect(try VideoDevice.find("bus:usb-3:1", nodes: nodes()).path == "/dev/video3")
        #expect(try VideoDevice.find("Camera 0", nodes: nodes()).path == "/dev/video0")
        #expect(try VideoDevice.first(nodes: nodes()).path == "/dev/video0")
    }

    @Test("A camera that was lost is found again: in its place, or under the node that it got instead")
    func again() throws {
        let camera = try VideoDevice.find("/dev/video3", nodes: nodes())
        #expect(try camera.found(nodes: nodes()).path == "/dev/video3")
        var machine = nodes()
        machine.cameras.removeAll { $0.path == "/dev/video3" }
        machine.refused = [:]
        #expect(code { try camera.found(nodes: machine) } == .notFound)
        let back = FakeCamera("/dev/video7") { state in
            state.card = "Camera 3"
            state.bus = camera.bus
        }
        machine.cameras.append(back)
        machine.attributes["/dev/video7/index"] = String(camera.id.last ?? "0")
        #expect(try camera.found(nodes: machine).path == "/dev/video7")
    }

    @Test("Another camera that got the node of the one that was lost is not taken for it, and is named")
    func swapped() throws {
        let camera = try VideoDevice.find("/dev/video3", nodes: nodes())
        var machine = FakeVideoNodes(cameras: [node(3, V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_STREAMING)])
        machine.cameras[0].state.withLock { ($0.card, $0.bus) = ("Other", "usb-9") }
        let error = error { try camera.found(nodes: machine) }
        #expect(error?.code == .notFound)
        #expect(
            error?.description == "/dev/video3: Camera 3 is not there; it is taken up again when it is back "
                + "(Other, which is at its node now, is another camera: bus:usb-9:0)")
        // It is back, and both have changed their numbers.
        machine.cameras.append(node(0, V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_STREAMING))
        machine.cameras[1].state.withLock { $0.bus = camera.bus }
        machine.attributes["/dev/video0/index"] = "1"
        #expect(try camera.found(nodes: machine).path == "/dev/video0")
    }

    @Test("Two cameras with one serial number are told apart by where they are plugged in")
    func twins() throws {
        var machine = FakeVideoNodes()
        for number in 0...1 {
            machine.cameras.append(node(number, V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_STREAMING))
            for (name, value) in [("serial", "SN0001"), ("idVendor", "1234"), ("idProduct", "5678")] {
                machine.attributes["/dev/video\(number)/device/../\(name)"] = value
            }
        }
        let second = try VideoDevice.find("/dev/video1", nodes: machine)
        #expect(second.id == "usb:1234:5678:SN0001:0")
        let error = error { try VideoDevice.find(second.id, nodes: machine) }
        #expect(error?.code == .notFound)
        #expect(error?.description.contains("/dev/video0, /dev/video1") == true)
        // Their numbers have changed.
        for camera in machine.cameras {
            camera.state.withLock { $0.bus = camera.path == "/dev/video0" ? "usb-1" : "usb-0" }
        }
        #expect(try second.found(nodes: machine).path == "/dev/video0")
    }

    @Test(
        "A camera that says where it looks is listed so",
        arguments: [(Int32(0), CameraFacing.front), (1, .back), (2, .external)])
    func facing(_ value: Int32, _ facing: CameraFacing) throws {
        let camera = node(0, V4L2_CAP_VIDEO_CAPTURE, V4L2_CAP_STREAMING)
        let machine = FakeVideoNodes(cameras: [camera])
        #expect(try VideoDevice.find("/dev/video0", nodes: machine).facing == nil)
        camera.state.withLock { state in
            state.controls = [
                FakeControl(number: shim_V4L2_CID_CAMERA_ORIENTATION, name: "Camera Orientation", value: value)
            ]
        }
        #expect(try VideoDevice.find("/dev/video0", nodes: machine).facing == facing)
    }

    @Test("An absent camera is never replaced by another; nodes without permission are named first")
    func absent() {
        var machine = nodes()
        #expect(code { try VideoDevice.find("usb:046d:0825:OTHER:0", nodes: machine) } == .unsupported)
        machine.cameras.removeAll { $0.path == "/dev/video4" }
        #expect(code { try VideoDevice.find("usb:046d:0825:OTHER:0", nodes: machine) } == .permissionDenied)
        machine.refused = [:]
        #expect(code { try VideoDevice.find("usb:046d:0825:OTHER:0", nodes: machine) } == .notFound)
        #expect(code { try VideoDevice.first(nodes: FakeVideoNodes()) } == .notFound)
        machine.refused = ["/dev/video0": DeviceError(.permissionDenied, device: "/dev/video0", "no")]
        machine.cameras = []
        #expect(code { try VideoDevice.first(nodes: machine) } == .permissionDenied)
    }

    @Test("A node that is no camera says what it is")
    func noCamera() {
        let metadata = error { try VideoDevice.find("/dev/video1", nodes: nodes()) }
        #expect(metadata?.code == .notACaptureDevice)
        #expect(metadata?.description.contains("metadata") == true)
        let output = error { try VideoDevice.find("/dev/video2", nodes: nodes()) }
        #expect(output?.description == "/dev/video2: pictures go into it, none come out")
    }

    @Test("Two cameras of one name must be told apart by id")
    func ambiguous() {
        var machine = nodes()
        for camera in machine.cameras { camera.state.withLock { $0.card = "C920" } }
        machine.refused = [:]
        let error = error { try VideoDevice.find("C920", nodes: machine) }
        #expect(error?.code == .notFound)
        #expect(error?.description.contains("usb:046d:0825:AB12CD34:0, bus:usb-3:1, bus:usb-5:0") == true)
    }

    @Test("What a camera calls itself is cleaned: no control characters, no broken UTF-8")
    func names() throws {
        let camera = FakeCamera { $0.card = "  Evil\u{1b}[31m\ncam\u{202e} " }
        let machine = FakeVideoNodes(cameras: [camera])
        #expect(try VideoDevice.find("/dev/video0", nodes: machine).name == "Evil?[31m?cam?")
        let broken: (UInt8, UInt8, UInt8, UInt8) = (65, 0xFF, 66, 67)
        #expect(SystemText.name(broken) == "A\u{FFFD}BC")
    }

    @Test("Real nodes: what is not there, and what is no camera")
    func realNodes() {
        #expect(code { try VideoDevice.find("/dev/no-such-camera") } == .notFound)
        #expect(code { try VideoDevice.find("/dev/null") } == .notACaptureDevice)
        #expect(code { try VideoDevice.find("/etc") } == .notACaptureDevice)
        #expect(code { try VideoDevice.find("/etc/hostname/video0") } == .notFound)
    }

    private func error(_ body: () throws -> VideoDevice) -> DeviceError? {
        do { _ = try body() } catch { return error as? DeviceError }
        return nil
    }
    private func code(_ body: () throws -> VideoDevice) -> DeviceError.Code? { error(body)?.code }
}
