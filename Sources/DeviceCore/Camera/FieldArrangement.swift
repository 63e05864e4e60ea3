internal import CLinuxShims

/// Whose rows a field has: the first, third … of a frame, or the second, fourth …
enum FieldParity: Hashable, Sendable {
    case top
    case bottom

    var other: FieldParity { self == .top ? .bottom : .top }

    /// - Parameter field: Of one buffer (`enum v4l2_field`); nil where it does not say.
    init?(_ field: UInt32) {
        switch v4l2_field(rawValue: field) {
        case V4L2_FIELD_TOP: self = .top
        case V4L2_FIELD_BOTTOM: self = .bottom
        default: return nil
        }
    }
}

/// How the rows of a picture come from a device (the V4L2 manual, "Field Order"). Cameras send whole pictures;
/// television, and HDMI in 1080i, sends each frame as two fields, which were taken one after the other.
enum FieldArrangement: Hashable, Sendable {
    /// All rows are of one moment.
    case progressive
    /// Two fields, already row by row in one buffer.
    case woven
    /// Two fields in one buffer, one behind the other in each plane.
    case sequential(first: FieldParity)
    /// Two fields in two buffers.
    case alternating
    /// One of the two alone; the other is thrown away by the device.
    case single

    /// - Parameter field: Of a format (`enum v4l2_field`); nil where it is none of those.
    init?(_ field: UInt32) {
        switch v4l2_field(rawValue: field) {
        case V4L2_FIELD_ANY, V4L2_FIELD_NONE: self = .progressive
        case V4L2_FIELD_INTERLACED, V4L2_FIELD_INTERLACED_TB, V4L2_FIELD_INTERLACED_BT: self = .woven
        case V4L2_FIELD_SEQ_TB: self = .sequential(first: .top)
        case V4L2_FIELD_SEQ_BT: self = .sequential(first: .bottom)
        case V4L2_FIELD_ALTERNATE: self = .alternating
        case V4L2_FIELD_TOP, V4L2_FIELD_BOTTOM: self = .single
        default: return nil
        }
    }

    /// What is to be known of pictures that come so; nil where there is nothing.
    var caution: String? {
        switch self {
        case .progressive: nil
        case .woven, .sequential, .alternating:
            "its pictures are interlaced, each made of two half pictures of different moments: edges are combed where "
                + "something moves; a progressive mode of the device, or of what is connected to it, has none of that"
        case .single: "it gives every other row of its pictures only, so that they may look flattened"
        }
    }
}
