internal import CLinuxShims
import CamoTypes
import Glibc

/// What is said when a virtual camera cannot be had.
enum VirtualCameraAccess {
    /// Opens the node; where there is none it is said how to make one.
    static func open(
        _ path: String, _ nodes: any VideoNodes, _ files: any SystemFiles
    ) throws(DeviceError) -> any VideoNode {
        do throws(DeviceError) {
            return try nodes.open(path)
        } catch  where error.code == .notFound {
            throw absence(path, LoopbackModule.read(files))
        }
    }

    private static func absence(_ path: String, _ module: LoopbackModule) -> DeviceError {
        guard module.isLoaded else {
            return DeviceError(
                .notFound, device: path,
                "there is no virtual camera, since the module v4l2loopback is not loaded; run: "
                    + "\(LoopbackModule.loadCommand(for: path)) (Debian's package is v4l2loopback-dkms)")
        }
        let others = module.devices.map(\.path).joined(separator: ", ")
        return DeviceError(
            .notFound, device: path,
            others.isEmpty
                ? "v4l2loopback is loaded, but has no device; run: \(LoopbackModule.reloadCommand(for: path))"
                : "there is no such device; the virtual cameras of this machine are \(others)")
    }
}

extension VideoNode {
    /// VIDIOC_QUERYCAP, and whether pictures can be streamed into this very node.
    ///
    /// To be asked before anything else is set: v4l2loopback makes up its mind about its capabilities in this call.
    ///
    /// - Throws: ``DeviceError`` `.notAnOutputDevice`, `.busy`, `.unsupported` or `.failed`.
    func checkTakesPictures() throws(DeviceError) {
        var capability = v4l2_capability()
        let error = control(shim_VIDIOC_QUERYCAP, &capability)
        guard error != ENOTTY, error != EINVAL else {
            throw DeviceError(
                .notAnOutputDevice, device: path, "not a V4L2 device; a virtual camera is one of v4l2loopback")
        }
        guard error == 0 else { throw outputFailure(error, "it does not say what it can do") }
        let flags = capability.ownFlags
        if flags & UInt32(V4L2_CAP_VIDEO_OUTPUT) != 0 {
            guard flags & UInt32(V4L2_CAP_STREAMING) != 0 else {
                throw DeviceError(.unsupported, device: path, "it takes no streams (V4L2_CAP_STREAMING)")
            }
            return
        }
        guard SystemText.name(capability.driver) == "v4l2 loopback" else {
            throw DeviceError(
                .notAnOutputDevice, device: path,
                "it is \(SystemText.name(capability.card)) and takes no pictures; a virtual camera is one of v4l2loopback: "
                    + LoopbackModule.loadCommand())
        }
        // With exclusive_caps=1 a device that is fed is a camera and nothing else.
        if flags & UInt32(V4L2_CAP_VIDEO_CAPTURE) != 0 {
            throw DeviceError(
                .busy, device: path,
                "another program feeds it\(NodeAccess.holderList(path)); close that program or use another device")
        }
        // v4l2loopback 0.12 with exclusive_caps=1, after a program that used write(2) instead of streaming.
        throw DeviceError(
            .busy, device: path,
            "a program that fed it before has left it unusable; run: \(LoopbackModule.reloadCommand(for: path))")
    }

    /// The error for a call that the driver of an output refused.
    func outputFailure(_ error: Int32, _ what: String) -> DeviceError {
        switch error {
        case EBUSY:
            DeviceError(
                .busy, device: path,
                "another program feeds it\(NodeAccess.holderList(path)); close that program or use another device")
        case ENODEV, ENXIO:
            DeviceError(.disconnected, device: path, systemError: error, "the device has gone")
        case EACCES, EPERM:
            DeviceError(.permissionDenied, device: path, NodeAccess.permissionHint(path))
        default:
            DeviceError(.failed, device: path, systemError: error, what)
        }
    }
}

extension NodeAccess {
    /// ` (held by chrome (123), ffmpeg (124))` or nothing.
    static func holderList(_ path: String) -> String {
        let names = holders(of: path)
        return names.isEmpty ? "" : " (held by \(names.joined(separator: ", ")))"
    }
}
