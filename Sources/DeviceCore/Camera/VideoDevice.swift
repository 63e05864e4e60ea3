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

    package init(id: String, name: String, path: String, driver: String, bus: String, serial: String?) {
        self.id = id
        self.name = name
        self.path = path
        self.driver = driver
        self.bus = bus
        self.serial = serial
    }
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
        if let match = survey.devices.first(where: { $0.id == text }) { return match }
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

    /// This camera, or what is in its place, once it was lost: what `text` names now; else this very camera under
    /// another node, which it gets when a program still held the old one as it came back.
    ///
    /// - Parameter text: What it was found by.
    /// - Throws: ``DeviceError``, as ``find(_:nodes:)``.
    package func found(again text: String, nodes: any VideoNodes = SystemVideoNodes()) throws(DeviceError)
        -> VideoDevice
    {
        do throws(DeviceError) {
            return try Self.find(text, nodes: nodes)
        } catch {
            guard let same = Self.list(nodes: nodes).first(where: { $0.id == id }) else { throw error }
            return same
        }
    }

    /// The first camera.
    ///
    /// - Throws: ``DeviceError``: `.permissionDenied` when there are only nodes that this user may not open.
    package static func first(nodes: any VideoNodes = SystemVideoNodes()) throws(DeviceError) -> VideoDevice {
        let survey = survey(nodes: nodes)
        if let first = survey.devices.first { return first }
        throw survey.problems.first
            ?? DeviceError(.notFound, device: "/dev/video*", "there is no camera on this machine")
    }

    /// Looks at one node.
    init(at path: String, nodes: any VideoNodes) throws(DeviceError) {
        let node = try nodes.open(path)
        defer { node.close() }
        let capability = try node.captureCapability()
        let bus = SystemText.name(capability.bus_info)
        let index = nodes.attribute("index", of: path) ?? "0"
        let serial = nodes.attribute("device/../serial", of: path)
        let vendor = nodes.attribute("device/../idVendor", of: path)
        let product = nodes.attribute("device/../idProduct", of: path)
        let id =
            if let serial, let vendor, let product {
                "usb:\(vendor):\(product):\(serial):\(index)"
            } else {
                "bus:\(bus):\(index)"
            }
        self.init(
            id: id, name: SystemText.name(capability.card), path: path, driver: SystemText.name(capability.driver),
            bus: bus, serial: vendor == nil ? nil : serial)
    }
}

extension VideoNode {
    /// VIDIOC_QUERYCAP, and whether pictures can be streamed from this very node.
    ///
    /// `device_caps` is what this node can do, `capabilities` what all nodes of the device can: a webcam's metadata
    /// node has video capture in the second.
    ///
    /// - Throws: ``DeviceError`` `.notACaptureDevice` or `.unsupported`.
    func captureCapability() throws(DeviceError) -> v4l2_capability {
        var capability = v4l2_capability()
        let error = control(shim_VIDIOC_QUERYCAP, &capability)
        guard error != ENOTTY, error != EINVAL else {
            throw DeviceError(.notACaptureDevice, device: path, "not a V4L2 device; cameras are /dev/video0 and so on")
        }
        guard error == 0 else { throw failure(error, "it does not say what it can do") }
        let hasOwn = capability.capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0
        let flags = hasOwn ? capability.device_caps : capability.capabilities
        if flags & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0 {
            guard flags & UInt32(V4L2_CAP_STREAMING) != 0 else {
                throw DeviceError(
                    .unsupported, device: path,
                    "it gives pictures by read(2) only; streaming (V4L2_CAP_STREAMING) is needed")
            }
            return capability
        }
        if flags & UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0 {
            throw DeviceError(
                .unsupported, device: path, "it speaks the multi-planar API only, which is not supported yet")
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
