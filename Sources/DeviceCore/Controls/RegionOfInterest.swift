internal import CLinuxShims
import CamoTypes
import Glibc

/// The part of the picture by which a USB camera sets exposure and focus (UVC 1.5, 4.2.2.1.20): a rectangle, and a set of
/// bits that says what follows it.
///
/// The kernel hands this on as two controls of uvcvideo (its page in the kernel's documentation, "Region of Interest");
/// Debian 12's does not yet, and then nothing is offered.
enum RegionOfInterest {
    /// V4L2_CID_UVC_REGION_OF_INTEREST_RECT and …_AUTO.
    static let rectangle: UInt32 = 0x0098_1AE1
    static let automatic: UInt32 = 0x0098_1AE2

    /// V4L2_CTRL_TYPE_RECT, a v4l2_rect, and V4L2_CTRL_TYPE_BITMASK.
    static let rectangleType: UInt32 = 0x0107

    /// The bit that makes `point` follow the rectangle.
    static func bit(of point: PointOfInterest) -> Int64 {
        switch point {
        case .exposure: 1 << 0
        case .focus: 1 << 3
        }
    }

    /// A rectangle of an eighth of the sides, as near to the point as it fits.
    static func rectangle(around point: PicturePoint, within whole: v4l2_rect) -> v4l2_rect {
        func span(_ start: Int32, _ length: UInt32, _ place: Double) -> (Int32, UInt32) {
            let side = max(1, length / 8)
            let first = Int64(place * Double(length)) - Int64(side) / 2
            return (start &+ Int32(clamping: max(0, min(first, Int64(length) - Int64(side)))), side)
        }
        let (left, width) = span(whole.left, whole.width, point.x)
        let (top, height) = span(whole.top, whole.height, point.y)
        return v4l2_rect(left: left, top: top, width: width, height: height)
    }
}

extension VideoNode {
    /// What the camera can judge by one point; none where its driver has no region.
    func pointsOfInterest() -> Set<PointOfInterest> {
        var rectangle = v4l2_query_ext_ctrl()
        rectangle.id = RegionOfInterest.rectangle
        var automatic = v4l2_query_ext_ctrl()
        automatic.id = RegionOfInterest.automatic
        guard control(shim_VIDIOC_QUERY_EXT_CTRL, &rectangle) == 0, rectangle.type == RegionOfInterest.rectangleType,
            control(shim_VIDIOC_QUERY_EXT_CTRL, &automatic) == 0, automatic.type == V4L2_CTRL_TYPE_BITMASK.rawValue
        else { return [] }
        return Set(PointOfInterest.allCases.filter { automatic.maximum & RegionOfInterest.bit(of: $0) != 0 })
    }

    /// Sets the region first, then what follows it. Returns 0, or the errno of the call that failed.
    func aim(_ interest: PointOfInterest, at point: PicturePoint) -> Int32 {
        // V4L2_CTRL_WHICH_MAX_VAL: the whole picture in the camera's own coordinates.
        var whole = v4l2_rect()
        var error = rectangle(shim_VIDIOC_G_EXT_CTRLS, shim_V4L2_CTRL_WHICH_MAX_VAL, &whole)
        guard error == 0 else { return error }
        var region = RegionOfInterest.rectangle(around: point, within: whole)
        error = rectangle(shim_VIDIOC_S_EXT_CTRLS, UInt32(V4L2_CTRL_WHICH_CUR_VAL), &region)
        guard error == 0 else { return error }
        var followers = v4l2_control()
        followers.id = RegionOfInterest.automatic
        error = control(shim_VIDIOC_G_CTRL, &followers)
        guard error == 0 else { return error }
        return setControl(
            RegionOfInterest.automatic, to: Int64(followers.value) | RegionOfInterest.bit(of: interest))
    }

    /// VIDIOC_G_EXT_CTRLS or S_EXT_CTRLS of the one control that is a rectangle.
    private func rectangle(_ request: UInt, _ which: UInt32, _ value: inout v4l2_rect) -> Int32 {
        withUnsafeMutablePointer(to: &value) { value in
            var entry = v4l2_ext_control()
            shim_v4l2_payload(&entry, RegionOfInterest.rectangle, value, UInt32(MemoryLayout<v4l2_rect>.size))
            return withUnsafeMutablePointer(to: &entry) { entry in
                var list = v4l2_ext_controls()
                shim_v4l2_list(&list, which, entry, 1)
                return control(request, &list)
            }
        }
    }
}
