internal import CLinuxShims
import CamoTypes
import Glibc

/// What a camera has agreed to send.
package struct CaptureFormat: Hashable, Sendable, CustomStringConvertible {
    package var format: CameraFormat
    package var size: PixelSize
    /// Pictures per second as the driver states it; nil when it does not. The time stamps say what is true.
    package var framesPerSecond: Double?
    /// Nil for what is not a raw picture.
    var layout: PlaneLayout?
    package var color: ColorDescription
    /// How the rows come. The size is that of whole frames; ``layout`` is of what a buffer has: one field where they
    /// alternate.
    var fields = FieldArrangement.progressive

    /// Bytes from one row of the first plane to the next; 0 for what is not a raw picture.
    package var stride: Int { layout?.planes.first?.stride ?? 0 }

    /// What is to be known of its pictures, in a sentence without a stop; nil where there is nothing.
    package var caution: String? { fields.caution }

    /// `1280x720 nv12 at 30 fps`.
    package var description: String {
        "\(size) \(format.rawValue)" + (framesPerSecond.map { " at \(Self.text($0)) fps" } ?? "")
    }

    /// Nil where the camera gives what was asked for, in whole pictures; else a sentence that says what is otherwise.
    package func difference(from wish: CameraWish) -> String? {
        let sameRate = framesPerSecond.map { abs($0 - wish.framesPerSecond) <= wish.framesPerSecond * 0.01 } ?? true
        let warning = caution.map { "; \($0)" } ?? ""
        if size == wish.size, sameRate { return caution == nil ? nil : "\(self)" + warning }
        return "asked for \(wish.size) at \(Self.text(wish.framesPerSecond)) fps, the camera gives \(self)" + warning
    }

    /// A rate for people.
    package static func text(_ rate: Double) -> String {
        // Two decimals without Foundation: 29.97, 12.5, 30.
        let hundredths = Int64(max(0, min(1e9, rate)) * 100 + 0.5)
        let (whole, part) = (hundredths / 100, hundredths % 100)
        if part == 0 { return "\(whole)" }
        return "\(whole).\(part < 10 ? "0" : "")\(part % 10 == 0 ? part / 10 : part)"
    }
}

extension VideoNode {
    /// Follows the input's signal, chooses a mode, sets it, and reads back what came of it.
    ///
    /// The node's input stays as it is: cameras have one and often refuse VIDIOC_S_INPUT, and of a capture card's the
    /// user has chosen one (`v4l2-ctl --set-input`).
    ///
    /// - Throws: ``DeviceError`` `.busy`, `.unsupported`, `.disconnected`, `.failed`, or `.stalled` without a signal.
    func setFormat(_ wish: CameraWish, _ api: CaptureAPI) throws(DeviceError) -> CaptureFormat {
        var wish = wish
        // Few receivers can scale, and none should enlarge.
        if let signal = try followSignal(), wish.size.width > signal.width || wish.size.height > signal.height {
            wish.size = signal
        }
        let offer = offer(near: wish.size, api)
        var choices = ModeChoice.ranked(offer.modes, for: wish)
        if choices.isEmpty, offer.modes.isEmpty, offer.otherFormats.isEmpty {
            // A driver that enumerates nothing may take a format all the same.
            choices = ModeChoice.ranked(
                PixelCode.all.map { CameraMode(pixelCode: $0, sizes: .unknown, rates: []) }, for: wish)
        }
        // Drivers refuse what they have enumerated, or give another format instead: then the next.
        for choice in choices.prefix(32) {
            if let format = try set(choice, api, wish) { return format }
        }
        throw DeviceError(
            .unsupported, device: path,
            FormatAdvice(offered: offer.modes.map(\.codeName) + offer.otherFormats, wanted: wish.formats).text)
    }

    /// Nil when the driver does not take it.
    private func set(_ choice: ModeChoice, _ api: CaptureAPI, _ wish: CameraWish) throws(DeviceError) -> CaptureFormat?
    {
        guard var got = try ask(for: choice, api, wish), let code = PixelCode(got.code),
            code.format == choice.mode.format, let fields = FieldArrangement(got.field)
        else { return nil }
        if fields == .alternating { got = try halved(got, for: choice, api) }
        var size = got.size
        if fields == .alternating { size.height *= 2 }
        // A height of 1 has no field.
        guard size.isWithinLimits, got.size.isWithinLimits, fields != .alternating || got.size.height > 1 else {
            return nil
        }
        let format = code.format
        fillPicture(got.size)
        guard let pixels = format.pixelFormat else {
            // A field that is coded for itself is half a picture.
            guard fields == .progressive || fields == .woven else { return nil }
            return CaptureFormat(
                format: format, size: size, framesPerSecond: setRate(choice.rate, api), layout: nil,
                color: format == .mjpeg ? got.color.jpeg : got.color.description, fields: fields)
        }
        guard let layout = PlaneLayout(code, size: got.size, strides: got.strides) else {
            let rows = (0..<pixels.planeCount).map { "\(pixels.rowBytes(plane: $0, width: got.size.width))" }
            throw DeviceError(
                .unsupported, device: path,
                "says that the rows of \(got.size) \(format.rawValue) take "
                    + "\(got.strides.map(String.init).joined(separator: ", ")) bytes; "
                    + "they take \(rows.joined(separator: ", "))")
        }
        return CaptureFormat(
            format: format, size: size, framesPerSecond: setRate(choice.rate, api), layout: layout,
            color: pixels.isRGB
                ? got.color.convertedRGB : pixels == .gray ? got.color.lumaAlone : got.color.description,
            fields: fields)
    }

    /// VIDIOC_S_FMT; nil when the driver does not take it.
    private func ask(
        for choice: ModeChoice, _ api: CaptureAPI, _ wish: CameraWish
    ) throws(DeviceError) -> DriverFormat? {
        var format = DriverFormat(code: choice.mode.pixelCode.code, size: choice.size, stride: wish.stride ?? 0)
        if let field = wish.field { format.field = field }
        let error = format.set(self, api)
        switch error {
        case 0: return format
        case EINVAL: return nil
        default: throw failure(error, "the format could not be set")
        }
    }

    /// The height of a format with alternating fields is a field's (struct v4l2_pix_format, `height`), so what was asked
    /// for is twice as high as was meant, where the device can scale.
    private func halved(
        _ got: DriverFormat, for choice: ModeChoice, _ api: CaptureAPI
    ) throws(DeviceError) -> DriverFormat {
        if case .fixed = choice.mode.sizes { return got }
        guard got.size.height > choice.size.height / 2 else { return got }
        var half = got
        half.size.height = max(2, choice.size.height / 2)
        let error = half.set(self, api)
        guard error == 0 else { throw failure(error, "the format could not be set") }
        return half
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
    private func setRate(_ rate: Double, _ api: CaptureAPI) -> Double? {
        var request = v4l2_streamparm()
        request.type = api.bufferType
        guard control(shim_VIDIOC_G_PARM, &request) == 0 else { return nil }
        let before = self.rate(ofInterval: request.parm.capture.timeperframe)
        guard request.parm.capture.capability & UInt32(V4L2_CAP_TIMEPERFRAME) != 0 else { return before }
        request.parm.capture.timeperframe = v4l2_fract(
            numerator: 1000, denominator: UInt32(max(1, min(1000, rate)) * 1000))
        guard control(shim_VIDIOC_S_PARM, &request) == 0 else { return before }
        let answer = self.rate(ofInterval: request.parm.capture.timeperframe)
        // Some drivers answer with what they were asked for, and only then settle on what they have.
        var settled = v4l2_streamparm()
        settled.type = api.bufferType
        guard control(shim_VIDIOC_G_PARM, &settled) == 0 else { return answer ?? before }
        return self.rate(ofInterval: settled.parm.capture.timeperframe) ?? answer ?? before
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
        case ENOSPC:
            // The manual on VIDIOC_STREAMON and usb_submit_urb(): the bus cannot reserve what this mode needs.
            DeviceError(
                .busy, device: path, systemError: error,
                "the USB bus has not enough bandwidth left for it; ask for a smaller size or rate, unplug what shares "
                    + "its hub, or use another port")
        default:
            DeviceError(.failed, device: path, systemError: error, what)
        }
    }
}
