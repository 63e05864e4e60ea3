internal import CLinuxShims
import CamoTypes
import Glibc

/// What a camera has agreed to send.
package struct CaptureFormat: Hashable, Sendable, CustomStringConvertible {
    package var format: CameraFormat
    package var size: PixelSize
    /// Pictures per second as the driver states it; nil when it does not. The time stamps say what is true.
    package var framesPerSecond: Double?
    /// Bytes from one row of the first plane to the next; 0 for MJPG.
    package var stride: Int
    package var color: ColorDescription

    /// `1280x720 nv12 at 30 fps`.
    package var description: String {
        "\(size) \(format.rawValue)" + (framesPerSecond.map { " at \(Self.text($0)) fps" } ?? "")
    }

    /// Nil where the camera gives what was asked for; else a sentence that says both.
    package func difference(from wish: CameraWish) -> String? {
        let sameRate = framesPerSecond.map { abs($0 - wish.framesPerSecond) <= wish.framesPerSecond * 0.01 } ?? true
        if size == wish.size, sameRate { return nil }
        return "asked for \(wish.size) at \(Self.text(wish.framesPerSecond)) fps, the camera gives \(self)"
    }

    private static func text(_ rate: Double) -> String {
        // Two decimals without Foundation: 29.97, 12.5, 30.
        let hundredths = Int64(max(0, min(1e9, rate)) * 100 + 0.5)
        let (whole, part) = (hundredths / 100, hundredths % 100)
        if part == 0 { return "\(whole)" }
        return "\(whole).\(part < 10 ? "0" : "")\(part % 10 == 0 ? part / 10 : part)"
    }
}

extension VideoNode {
    /// Chooses a mode, sets it, and reads back what came of it.
    ///
    /// - Throws: ``DeviceError`` `.busy`, `.unsupported`, `.disconnected` or `.failed`.
    func setFormat(_ wish: CameraWish) throws(DeviceError) -> CaptureFormat {
        let (modes, others) = modes(near: wish.size)
        var choices = ModeChoice.ranked(modes, for: wish)
        if choices.isEmpty, modes.isEmpty, others.isEmpty {
            // A driver that enumerates nothing may take a format all the same.
            choices = wish.formats.sorted { $0.cost < $1.cost }.flatMap { format in
                format.codes.map { code in
                    let mode = CameraMode(format: format, code: code, sizes: .unknown, rates: [])
                    return ModeChoice(mode: mode, size: wish.size, rate: wish.framesPerSecond)
                }
            }
        }
        // Drivers refuse what they have enumerated, or give another format instead: then the next.
        for choice in choices.prefix(16) {
            if let format = try set(choice, stride: wish.stride) { return format }
        }
        let offered = (modes.map(\.format.rawValue) + others).reduce(into: [String]()) { names, name in
            if !names.contains(name) { names.append(name) }
        }
        throw DeviceError(
            .unsupported, device: path,
            "offers \(offered.isEmpty ? "no format" : offered.joined(separator: ", ")), "
                + "but \(wish.formats.map(\.rawValue).sorted().joined(separator: ", ")) is needed")
    }

    /// Nil when the driver does not take it.
    private func set(_ choice: ModeChoice, stride wish: Int?) throws(DeviceError) -> CaptureFormat? {
        var request = v4l2_format()
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.fmt.pix.width = UInt32(clamping: choice.size.width)
        request.fmt.pix.height = UInt32(clamping: choice.size.height)
        request.fmt.pix.pixelformat = choice.mode.code
        request.fmt.pix.field = V4L2_FIELD_NONE.rawValue
        request.fmt.pix.bytesperline = UInt32(clamping: wish ?? 0)
        let error = control(shim_VIDIOC_S_FMT, &request)
        switch error {
        case 0: break
        case EINVAL: return nil
        default: throw failure(error, "the format could not be set")
        }
        let got = request.fmt.pix
        guard let format = CameraFormat(code: got.pixelformat), format == choice.mode.format else { return nil }
        let size = PixelSize(width: Int(got.width), height: Int(got.height))
        guard size.isWithinLimits else { return nil }
        guard isWholePicture(got.field) else { return nil }
        let color = V4L2Color(
            colorspace: got.colorspace, encoding: got.ycbcr_enc, quantization: got.quantization,
            transfer: got.xfer_func)
        fillPicture(size)
        guard let pixels = format.pixelFormat else {
            return CaptureFormat(
                format: format, size: size, framesPerSecond: setRate(choice.rate), stride: 0, color: color.jpeg)
        }
        // Some drivers leave the stride at 0 where rows are not padded.
        let row = pixels.rowBytes(plane: 0, width: size.width)
        let stride = got.bytesperline == 0 ? row : Int(got.bytesperline)
        guard stride >= row, stride <= 1 << 20 else {
            throw DeviceError(
                .unsupported, device: path,
                "says that a row of \(size) \(format.rawValue) takes \(stride) bytes; it takes \(row)")
        }
        return CaptureFormat(
            format: format, size: size, framesPerSecond: setRate(choice.rate), stride: stride,
            color: format == .bgra ? color.convertedRGB : color.description)
    }

    /// Half pictures one after the other (ALTERNATE, TOP, BOTTOM, SEQ_…) are no frames.
    private func isWholePicture(_ field: UInt32) -> Bool {
        switch v4l2_field(rawValue: field) {
        case V4L2_FIELD_ANY, V4L2_FIELD_NONE, V4L2_FIELD_INTERLACED, V4L2_FIELD_INTERLACED_TB,
            V4L2_FIELD_INTERLACED_BT:
            true
        default: false
        }
    }

    /// A device that composes keeps the rectangle of whoever used it before, and S_FMT only ever shrinks it: the rest of
    /// a larger picture would be stale. Most cameras have no such rectangle and refuse.
    private func fillPicture(_ size: PixelSize) {
        var selection = v4l2_selection()
        selection.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        selection.target = UInt32(V4L2_SEL_TGT_COMPOSE)
        let whole = v4l2_rect(
            left: 0, top: 0, width: UInt32(clamping: size.width), height: UInt32(clamping: size.height))
        guard control(shim_VIDIOC_G_SELECTION, &selection) == 0,
            selection.r.width != whole.width || selection.r.height != whole.height
        else { return }
        selection.r = whole
        _ = control(shim_VIDIOC_S_SELECTION, &selection)
    }

    /// Asks for a rate and gives back what the driver says it is then. HDMI inputs refuse: their rate is the signal's.
    private func setRate(_ rate: Double) -> Double? {
        var request = v4l2_streamparm()
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        guard control(shim_VIDIOC_G_PARM, &request) == 0 else { return nil }
        let before = self.rate(ofInterval: request.parm.capture.timeperframe)
        guard request.parm.capture.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0 else { return before }
        request.parm.capture.timeperframe = v4l2_fract(
            numerator: 1000, denominator: UInt32(max(1, min(1000, rate)) * 1000))
        guard control(shim_VIDIOC_S_PARM, &request) == 0 else { return before }
        return self.rate(ofInterval: request.parm.capture.timeperframe) ?? before
    }

    /// The error for a call that the driver refused.
    func failure(_ error: Int32, _ what: String) -> DeviceError {
        switch error {
        case EBUSY:
            DeviceError(
                .busy, device: path,
                "in use\(NodeAccess.holderText(path)); close that program or choose another camera")
        case ENODEV, ENXIO:
            DeviceError(.disconnected, device: path, systemError: error, "the camera has gone")
        case EACCES, EPERM:
            DeviceError(.permissionDenied, device: path, NodeAccess.permissionHint(path))
        default:
            DeviceError(.failed, device: path, systemError: error, what)
        }
    }
}
