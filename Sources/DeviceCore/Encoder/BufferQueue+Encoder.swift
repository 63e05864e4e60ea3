internal import CLinuxShims
import CamoTypes

/// The two formats of an encoder, set in the order that the kernel's interface asks for: the coded one first.
extension BufferQueue {
    /// Asks for what comes out, with room for a picture that hardly compresses.
    func setCodedFormat(_ settings: StatefulEncoder.Settings) throws(DeviceError) {
        let room = UInt32(clamping: max(512 << 10, settings.size.area))
        var format = v4l2_format()
        format.type = bufferType
        switch api {
        case .singlePlanar:
            format.fmt.pix.width = UInt32(clamping: settings.size.width)
            format.fmt.pix.height = UInt32(clamping: settings.size.height)
            format.fmt.pix.pixelformat = settings.codedFormat
            format.fmt.pix.sizeimage = room
        case .multiPlanar:
            format.fmt.pix_mp.width = UInt32(clamping: settings.size.width)
            format.fmt.pix_mp.height = UInt32(clamping: settings.size.height)
            format.fmt.pix_mp.pixelformat = settings.codedFormat
            format.fmt.pix_mp.num_planes = 1
            format.fmt.pix_mp.plane_fmt.0.sizeimage = room
        }
        let error = node.control(shim_VIDIOC_S_FMT, &format)
        guard error == 0 else { throw node.failure(error, "the encoder takes no format") }
        let got = api == .multiPlanar ? format.fmt.pix_mp.pixelformat : format.fmt.pix.pixelformat
        guard got == settings.codedFormat else {
            throw DeviceError(
                .unsupported, device: node.path,
                "it makes \(PixelCode.name(got)) where \(PixelCode.name(settings.codedFormat)) "
                    + "was asked for")
        }
    }

    /// Asks for what goes in: the first layout that the driver takes for this size.
    func setRawFormat(_ settings: StatefulEncoder.Settings) throws(DeviceError) -> EncoderLayout {
        let offered = formats()
        for code in EncoderLayout.codes where offered.contains(code) {
            if let layout = layout(code, settings) { return layout }
        }
        throw DeviceError(
            .unsupported, device: node.path,
            "it takes no pictures of \(settings.size) in 4:2:0; it offers "
                + (offered.isEmpty ? "nothing" : offered.map(PixelCode.name).joined(separator: ", ")))
    }

    private func layout(_ code: UInt32, _ settings: StatefulEncoder.Settings) -> EncoderLayout? {
        let (width, height) = (UInt32(clamping: settings.size.width), UInt32(clamping: settings.size.height))
        var format = v4l2_format()
        format.type = bufferType
        switch api {
        case .singlePlanar:
            (format.fmt.pix.width, format.fmt.pix.height, format.fmt.pix.pixelformat) = (width, height, code)
            format.fmt.pix.field = V4L2_FIELD_NONE.rawValue
            format.fmt.pix.colorspace = settings.color.v4l2Colorspace
        case .multiPlanar:
            (format.fmt.pix_mp.width, format.fmt.pix_mp.height, format.fmt.pix_mp.pixelformat) = (width, height, code)
            format.fmt.pix_mp.field = V4L2_FIELD_NONE.rawValue
            format.fmt.pix_mp.colorspace = settings.color.v4l2Colorspace
        }
        guard node.control(shim_VIDIOC_S_FMT, &format) == 0 else { return nil }
        switch api {
        case .singlePlanar:
            let pix = format.fmt.pix
            guard pix.pixelformat == code, pix.width >= width, pix.height >= height else { return nil }
            return EncoderLayout(code: code, rows: Int(pix.height), strides: [Int(pix.bytesperline)])
        case .multiPlanar:
            let pix = format.fmt.pix_mp
            guard pix.pixelformat == code, pix.width >= width, pix.height >= height else { return nil }
            let strides = withUnsafeBytes(of: pix.plane_fmt) { planes in
                planes.bindMemory(to: v4l2_plane_pix_format.self).prefix(Int(pix.num_planes)).map {
                    Int($0.bytesperline)
                }
            }
            return EncoderLayout(code: code, rows: Int(pix.height), strides: strides)
        }
    }

    /// The part of the picture that counts, where the driver has rounded the size up (VIDIOC_S_SELECTION).
    func setVisible(_ size: PixelSize) {
        var selection = v4l2_selection()
        // The selection calls take the single-planar type for both APIs (VIDIOC_G_SELECTION(2), since 4.13).
        selection.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
        selection.target = UInt32(V4L2_SEL_TGT_CROP)
        selection.r.width = UInt32(clamping: size.width)
        selection.r.height = UInt32(clamping: size.height)
        _ = node.control(shim_VIDIOC_S_SELECTION, &selection)
    }

    /// What rate control counts by (VIDIOC_S_PARM on the pictures' side).
    func setInterval(_ framesPerSecond: Double) {
        var parameters = v4l2_streamparm()
        parameters.type = bufferType
        parameters.parm.output.timeperframe = v4l2_fract(
            numerator: 1_000, denominator: UInt32(clamping: Int(framesPerSecond * 1_000)))
        _ = node.control(shim_VIDIOC_S_PARM, &parameters)
    }
}

extension ColorDescription {
    /// What a driver may write into the stream's own description of its colours; its defaults are limited range
    /// (Linux, userspace-api/media/v4l/colorspaces-details.rst).
    fileprivate var v4l2Colorspace: UInt32 {
        matrix == Self.bt709Matrix ? V4L2_COLORSPACE_REC709.rawValue : V4L2_COLORSPACE_SMPTE170M.rawValue
    }

    private static var bt709Matrix: UInt8 { 1 }
}
