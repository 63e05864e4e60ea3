internal import CLinuxShims
import CamoTypes

/// The picture format of a node as VIDIOC_S_FMT takes and gives it, the same for both APIs.
struct DriverFormat: Sendable {
    var code: UInt32
    var size: PixelSize
    /// `enum v4l2_field`.
    var field = V4L2_FIELD_NONE.rawValue
    /// Bytes from one row to the next in each memory of a buffer; 0 leaves it to the driver.
    var strides: [Int] = []
    var color = V4L2Color(colorspace: 0, encoding: 0, quantization: 0, transfer: 0)

    init(code: UInt32, size: PixelSize, stride: Int = 0) {
        (self.code, self.size, strides) = (code, size, [stride])
    }

    private init(_ pix: v4l2_pix_format) {
        code = pix.pixelformat
        size = PixelSize(width: Int(pix.width), height: Int(pix.height))
        field = pix.field
        strides = [Int(pix.bytesperline)]
        color = V4L2Color(
            colorspace: pix.colorspace, encoding: pix.ycbcr_enc, quantization: pix.quantization,
            transfer: pix.xfer_func)
    }

    private init(_ pix: v4l2_pix_format_mplane) {
        code = pix.pixelformat
        size = PixelSize(width: Int(pix.width), height: Int(pix.height))
        field = pix.field
        strides = withUnsafeBytes(of: pix.plane_fmt) { bytes in
            let count = min(Int(pix.num_planes), bytes.count / MemoryLayout<v4l2_plane_pix_format>.stride)
            return (0..<count).map { index in
                let offset = index * MemoryLayout<v4l2_plane_pix_format>.stride
                return Int(bytes.loadUnaligned(fromByteOffset: offset, as: v4l2_plane_pix_format.self).bytesperline)
            }
        }
        color = V4L2Color(
            colorspace: pix.colorspace, encoding: UInt32(pix.ycbcr_enc), quantization: UInt32(pix.quantization),
            transfer: UInt32(pix.xfer_func))
    }

    /// VIDIOC_S_FMT. Afterwards this is what the driver has made of it.
    ///
    /// - Returns: 0 or the errno.
    mutating func set(_ node: any VideoNode, _ api: CaptureAPI) -> Int32 {
        var request = v4l2_format()
        request.type = api.bufferType
        switch api {
        case .singlePlanar:
            request.fmt.pix.width = UInt32(clamping: size.width)
            request.fmt.pix.height = UInt32(clamping: size.height)
            request.fmt.pix.pixelformat = code
            request.fmt.pix.field = field
            request.fmt.pix.bytesperline = UInt32(clamping: strides.first ?? 0)
        case .multiPlanar:
            request.fmt.pix_mp.width = UInt32(clamping: size.width)
            request.fmt.pix_mp.height = UInt32(clamping: size.height)
            request.fmt.pix_mp.pixelformat = code
            request.fmt.pix_mp.field = field
            request.fmt.pix_mp.plane_fmt.0.bytesperline = UInt32(clamping: strides.first ?? 0)
        }
        let error = node.control(shim_VIDIOC_S_FMT, &request)
        guard error == 0 else { return error }
        switch api {
        case .singlePlanar: self = DriverFormat(request.fmt.pix)
        case .multiPlanar: self = DriverFormat(request.fmt.pix_mp)
        }
        return 0
    }
}
