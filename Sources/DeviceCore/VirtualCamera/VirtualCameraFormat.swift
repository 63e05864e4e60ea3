internal import CLinuxShims
import CamoTypes
import Glibc

/// What a virtual camera has agreed to take, and what its readers therefore get.
package struct VirtualCameraFormat: Hashable, Sendable, CustomStringConvertible {
    package var pixels: PixelFormat
    /// Both sides even.
    package var size: PixelSize

    package init(pixels: PixelFormat, size: PixelSize) {
        self.pixels = pixels
        self.size = size
    }

    /// Of each picture, exactly: rows are not padded.
    package var byteCount: Int { pixels.byteCount(size) }

    /// `1280x720 yuyv`.
    package var description: String { "\(size) \(pixels.rawValue)" }

    /// The order in which formats are tried. YUYV first: it is what webcams send where they do not compress, so every
    /// program that reads webcams takes it; OBS feeds its own virtual camera with nothing else. The others are for
    /// devices that somebody else has set up.
    static let preferred: [(pixels: PixelFormat, code: UInt32)] = [
        (.yuyv, shim_V4L2_PIX_FMT_YUYV), (.i420, shim_V4L2_PIX_FMT_YUV420), (.nv12, shim_V4L2_PIX_FMT_NV12),
    ]
}

extension VideoNode {
    /// Sets size and format and reads back what came of it: a loopback device that has readers keeps what it has.
    ///
    /// - Throws: ``DeviceError`` `.busy`, `.unsupported`, `.disconnected` or `.failed`.
    func setOutputFormat(size: PixelSize, framesPerSecond: Int) throws(DeviceError) -> VirtualCameraFormat {
        for candidate in VirtualCameraFormat.preferred {
            var request = v4l2_format()
            request.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
            request.fmt.pix.width = UInt32(clamping: size.width)
            request.fmt.pix.height = UInt32(clamping: size.height)
            request.fmt.pix.pixelformat = candidate.code
            request.fmt.pix.field = V4L2_FIELD_NONE.rawValue
            request.fmt.pix.colorspace = V4L2_COLORSPACE_SRGB.rawValue
            request.fmt.pix.bytesperline = UInt32(clamping: candidate.pixels.rowBytes(plane: 0, width: size.width))
            request.fmt.pix.sizeimage = UInt32(clamping: candidate.pixels.byteCount(size))
            switch control(shim_VIDIOC_S_FMT, &request) {
            case 0:
                let format = try checked(request.fmt.pix)
                setOutputRate(framesPerSecond)
                return format
            case EINVAL: continue
            case let error: throw outputFailure(error, "its format could not be set")
            }
        }
        throw DeviceError(.unsupported, device: path, "takes pictures neither as YUYV nor as I420 nor as NV12")
    }

    private func checked(_ got: v4l2_pix_format) throws(DeviceError) -> VirtualCameraFormat {
        let size = PixelSize(width: Int(got.width), height: Int(got.height))
        let code = got.pixelformat
        guard let known = VirtualCameraFormat.preferred.first(where: { $0.code == code }) else {
            throw DeviceError(
                .unsupported, device: path,
                "it is held at \(size) \(PixelCode.name(code)), which cannot be written; "
                    + "close the programs that use it\(NodeAccess.holderList(path))")
        }
        let row = known.pixels.rowBytes(plane: 0, width: size.width)
        guard size.isWithinLimits, size == size.evened, got.bytesperline == 0 || Int(got.bytesperline) == row else {
            throw DeviceError(
                .unsupported, device: path,
                "it is held at \(size) with rows of \(got.bytesperline) bytes; even sizes without padding are needed")
        }
        return VirtualCameraFormat(pixels: known.pixels, size: size)
    }

    /// What readers are told of the rate. Not every driver wants to know.
    private func setOutputRate(_ framesPerSecond: Int) {
        var request = v4l2_streamparm()
        request.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
        request.parm.output.timeperframe = v4l2_fract(
            numerator: 1, denominator: UInt32(clamping: max(1, min(240, framesPerSecond))))
        _ = control(shim_VIDIOC_S_PARM, &request)
    }
}
