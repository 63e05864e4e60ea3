internal import CLinuxShims
import CamoTypes
import Glibc

/// A camera of this machine: what it is, and where it is now.
///
/// `/dev/video0` may be another camera after the next boot; ``id`` is not. A program that remembers a camera remembers
/// its id, and takes no other camera in its place.
package struct VideoDevice: Hashable, Sendable, Identifiable {
    /// Stable: `usb:046d:0825:AB12CD34:0` where the camera has a serial number, else by its place,
    /// `bus:usb-0000:00:14.0-2:0`. The last number tells several nodes of one device apart.
    package let id: String
    /// What the camera calls itself, for people.
    package let name: String
    /// The node, for this boot: `/dev/video0`.
    package let path: String
    /// Name of the kernel's driver: `uvcvideo`, `vivid`.
    package let driver: String
    /// Where it is plugged in: `usb-0000:00:14.0-2`, `platform:vivid-000`.
    package let bus: String
    package let serial: String?
    /// Where it looks, of a camera that is built in and says so (V4L2_CID_CAMERA_ORIENTATION).
    package let facing: CameraFacing?

    package init(
        id: String, name: String, path: String, driver: String, bus: String, serial: String?,
        facing: CameraFacing? = nil
    ) {
        self.id = id
        self.name = name
        self.path = path
        self.driver = driver
        self.bus = bus
        self.serial = serial
        self.facing = facing
    }
}

/// Which way a camera looks that belongs to its machine.
package enum CameraFacing: String, Hashable, Sendable {
    /// At whoever uses the machine.
    case front
    case back
    /// It is on a cable or an arm.
    case external
}

/// What there is, and what could not be looked at.
package struct VideoDeviceSurvey: Sendable {
    /// Nodes that capture pictures and can be streamed from, by their numbers.
    package var devices: [VideoDevice] = []
    /// Nodes that this user may not open, or that failed. So "no camera" can be told from "no permission".
    package var problems: [DeviceError] = []
}

extension VideoDevice {
    /// All cameras that can be used. Opens each node for a moment.
    package static func list(nodes: any VideoNodes = SystemVideoNodes()) -> [VideoDevice] {
        survey(nodes: nodes).devices
    }

    /// All cameras, and the nodes that could not be looked at.
    package static func survey(nodes: any VideoNodes = SystemVideoNodes()) -> VideoDeviceSurvey {
        var survey = VideoDeviceSurvey()
        for path in nodes.paths() {
            do throws(DeviceError) {
                survey.devices.append(try VideoDevice(at: path, nodes: nodes))
            } catch {
                // Metadata nodes, outputs, radios: no cameras, and no problem either.
                if error.code != .notACaptureDevice { survey.problems.append(error) }
            }
        }
        return survey
    }

    /// The camera that `text` names: a path (links such as `/dev/v4l/by-id/…` too), an ``id``, or a ``name``.
    ///
    /// - Throws: ``DeviceError``; `.notFound` when there is none of that name, `.permissionDenied` when there may be
    ///   one that this user cannot open, `.notACaptureDevice` when the path is no camera.
    package static func find(_ text: String, nodes: any VideoNodes = SystemVideoNodes()) throws(DeviceError)
        -> VideoDevice
    {
        if text.hasPrefix("/") { return try VideoDevice(at: text, nodes: nodes) }
        let survey = survey(nodes: nodes)
        let identical = survey.devices.filter { $0.id == text }
        if identical.count == 1, let match = identical.first { return match }
        if identical.count > 1 {
            throw DeviceError(
                .notFound, device: text,
                "\(identical.count) cameras have this serial number; use one of these: "
                    + identical.map(\.path).joined(separator: ", "))
        }
        let named = survey.devices.filter { $0.name == text }
        if named.count == 1, let match = named.first { return match }
        if named.count > 1 {
            throw DeviceError(
                .notFound, device: text,
                "\(named.count) cameras are called so; use one of these: \(named.map(\.id).joined(separator: ", "))")
        }
        if let problem = survey.problems.first { throw problem }
        let known = survey.devices.map { "\($0.path) (\($0.name))" }
        throw DeviceError(
            .notFound, device: text,
            known.isEmpty
                ? "there is no camera on this machine" : "no such camera; there is \(known.joined(separator: ", "))"
        )
    }

    /// This very camera, wherever it is now: its node has another number when a program still held the old one as it
    /// came back. No other camera is taken in its place.
    ///
    /// - Throws: ``DeviceError``: `.notFound`, and what is in its place; `.permissionDenied` when its node, or any, may
    ///   not be opened, which may be this camera.
    package func found(nodes: any VideoNodes = SystemVideoNodes()) throws(DeviceError) -> VideoDevice {
        var other: VideoDevice?
        do throws(DeviceError) {
            let here = try VideoDevice(at: path, nodes: nodes)
            // Cameras of one make may have one serial number; then the place tells them apart.
            if here.id == id, here.bus == bus { return here }
            if here.id != id { other = here }
        } catch  where error.code == .notFound || error.code == .notACaptureDevice {
            // Another node, if any.
        }
        let survey = Self.survey(nodes: nodes)
        let same = survey.devices.filter { $0.id == id }
        if let match = same.first(where: { $0.bus == bus }) ?? (same.count == 1 ? same.first : nil) { return match }
        if let problem = survey.problems.first(where: { $0.code == .permissionDenied }) { throw problem }
        throw DeviceError(
            .notFound, device: path,
            "\(name) is not there; it is taken up again when it is back"
                + (other.map { " (\($0.name), which is at its node now, is another camera: \($0.id))" } ?? ""))
    }

    /// The first camera.
    ///
    /// - Throws: ``DeviceError``: `.permissionDenied` when there are only nodes that this user may not open.
    package static func first(nodes: any VideoNodes = SystemVideoNodes()) throws(DeviceError) -> VideoDevice {
        let survey = survey(nodes: nodes)
        if let first = survey.devices.first { return first }
        throw survey.problems.first
            ?? DeviceError(.notFound, device: "", "there is no camera on this machine (no /dev/video*)")
    }

    /// What a device says of itself, as part of an ``id``: that is typed by people and sent to studios. Nil where nothing
    /// is left of it, as of the serial number of a camera that has none and says so with blanks.
    private static func identity(_ text: String) -> String? { TextLine.cleaned(text, maximumByteCount: 128) }

    /// Looks at one node.
    init(at path: String, nodes: any VideoNodes) throws(DeviceError) {
        let node = try nodes.open(path)
        defer { node.close() }
        let capability = try node.captureCapability()
        let bus = capability.bus
        let index = nodes.attribute("index", of: path) ?? "0"
        let serial = nodes.attribute("device/../serial", of: path).flatMap(Self.identity)
        let vendor = nodes.attribute("device/../idVendor", of: path)
        let product = nodes.attribute("device/../idProduct", of: path)
        let id =
            if let serial, let vendor, let product {
                "usb:\(vendor):\(product):\(serial):\(index)"
            } else {
                Self.identity("bus:\(bus):\(index)") ?? "bus::\(index)"
            }
        self.init(
            id: id, name: capability.name, path: path, driver: capability.driver, bus: bus,
            serial: vendor == nil ? nil : serial,
            facing: node.facing)
    }
}

extension VideoNode {
    fileprivate var facing: CameraFacing? {
        var value = v4l2_control()
        value.id = shim_V4L2_CID_CAMERA_ORIENTATION
        guard control(shim_VIDIOC_G_CTRL, &value) == 0 else { return nil }
        return switch value.value {
        case V4L2_CAMERA_ORIENTATION_FRONT: .front
        case V4L2_CAMERA_ORIENTATION_BACK: .back
        case V4L2_CAMERA_ORIENTATION_EXTERNAL: .external
        default: nil
        }
    }
}

/// What a node that pictures can be captured from says of itself.
struct CaptureCapability: Sendable {
    var name: String
    var driver: String
    var bus: String
    var api: CaptureAPI
}

extension VideoNode {
    /// VIDIOC_QUERYCAP, and whether pictures can be streamed from this very node.
    ///
    /// `device_caps` is what this node can do, `capabilities` what all nodes of the device can: a webcam's metadata
    /// node has video capture in the second.
    ///
    /// - Throws: ``DeviceError`` `.notACaptureDevice` or `.unsupported`.
    func captureCapability() throws(DeviceError) -> CaptureCapability {
        var capability = v4l2_capability()
        let error = control(shim_VIDIOC_QUERYCAP, &capability)
        guard error != ENOTTY, error != EINVAL else {
            throw DeviceError(.notACaptureDevice, device: path, "not a V4L2 device; cameras are /dev/video0 and so on")
        }
        guard error == 0 else { throw failure(error, "it does not say what it can do") }
        let flags = capability.ownFlags
        let apis: [(flag: Int32, api: CaptureAPI)] = [
            (V4L2_CAP_VIDEO_CAPTURE, .singlePlanar), (V4L2_CAP_VIDEO_CAPTURE_MPLANE, .multiPlanar),
        ]
        if let api = apis.first(where: { flags & UInt32($0.flag) != 0 })?.api {
            guard flags & UInt32(V4L2_CAP_STREAMING) != 0 else {
                throw DeviceError(
                    .unsupported, device: path,
                    "it gives pictures by read(2) only; streaming (V4L2_CAP_STREAMING) is needed")
            }
            let (card, driver) = (SystemText.name(capability.card), SystemText.name(capability.driver))
            return CaptureCapability(
                name: card.isEmpty ? driver : card, driver: driver, bus: SystemText.name(capability.bus_info), api: api)
        }
        let what =
            if flags & UInt32(V4L2_CAP_META_CAPTURE) != 0 {
                "it carries a camera's metadata, not its pictures; use the camera's other node"
            } else if flags & UInt32(V4L2_CAP_VIDEO_OUTPUT) != 0 {
                "pictures go into it, none come out"
            } else {
                "it does not capture pictures"
            }
        throw DeviceError(.notACaptureDevice, device: path, what)
    }
}
