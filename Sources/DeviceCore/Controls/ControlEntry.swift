internal import CLinuxShims
import CamoTypes
import Glibc

/// A control and its number in V4L2.
struct ControlEntry: Hashable, Sendable {
    /// V4L2_CID_….
    var number: UInt32
    var control: CameraControl
}

extension VideoNode {
    /// What can be set on the camera, in the order of ``ControlNumber/all``. Another program may be streaming from it.
    ///
    /// Each number is asked for by itself: with V4L2_CTRL_FLAG_NEXT_CTRL, one control that a USB camera refuses to
    /// describe (EIO) would hide all that follow.
    ///
    /// - Throws: ``DeviceError`` `.disconnected` when the camera has gone; whatever else goes wrong with one control
    ///   leaves that one out.
    func controlEntries() throws(DeviceError) -> [ControlEntry] {
        var entries: [ControlEntry] = []
        for number in ControlNumber.all {
            guard var entry = try controlEntry(number) else { continue }
            // A driver may call two by the same name, or one by a name without a letter.
            let id = entry.control.id
            if id.isEmpty || entries.contains(where: { $0.control.id == id }) {
                entry.control.id = "control_" + String(number, radix: 16)
            }
            entries.append(entry)
        }
        return entries
    }

    /// One control as it is now; nil when the camera does not have it.
    func controlEntry(_ number: UInt32) throws(DeviceError) -> ControlEntry? {
        var query = v4l2_query_ext_ctrl()
        query.id = number
        guard try answers(shim_VIDIOC_QUERY_EXT_CTRL, &query) else { return nil }
        guard query.flags & UInt32(V4L2_CTRL_FLAG_DISABLED) == 0, query.minimum <= query.maximum,
            let kind = Self.kind(ofType: query.type)
        else { return nil }
        // These kinds are 32-bit numbers, whatever the driver makes of the wider fields.
        let number32: (Int64) -> Int64 = { Int64(Int32(clamping: $0)) }
        var value = number32(query.default_value)
        if kind != .button, query.flags & UInt32(V4L2_CTRL_FLAG_WRITE_ONLY) == 0 {
            var current = v4l2_control()
            current.id = number
            guard try answers(shim_VIDIOC_G_CTRL, &current) else { return nil }
            value = Int64(current.value)
        }
        let name = SystemText.name(query.name)
        let held = UInt32(V4L2_CTRL_FLAG_INACTIVE) | UInt32(V4L2_CTRL_FLAG_GRABBED)
        return ControlEntry(
            number: number,
            control: CameraControl(
                id: ControlWord.word(of: name), name: name, kind: kind,
                range: number32(query.minimum)...number32(query.maximum),
                step: Int64(Int32(clamping: query.step)), defaultValue: number32(query.default_value), value: value,
                menu: kind == .menu ? try menu(of: number, query) : [],
                isInactive: query.flags & held != 0,
                isReadOnly: query.flags & UInt32(V4L2_CTRL_FLAG_READ_ONLY) != 0))
    }

    /// VIDIOC_S_CTRL: 0, or the errno.
    func setControl(_ number: UInt32, to value: Int64) -> Int32 {
        var request = v4l2_control()
        request.id = number
        request.value = Int32(clamping: value)
        return control(shim_VIDIOC_S_CTRL, &request)
    }

    private static func kind(ofType type: UInt32) -> CameraControl.Kind? {
        switch v4l2_ctrl_type(rawValue: type) {
        case V4L2_CTRL_TYPE_INTEGER: .integer
        case V4L2_CTRL_TYPE_BOOLEAN: .boolean
        case V4L2_CTRL_TYPE_MENU, V4L2_CTRL_TYPE_INTEGER_MENU: .menu
        case V4L2_CTRL_TYPE_BUTTON: .button
        // 64-bit numbers, texts, sets of bits and arrays: none of the controls above is one.
        default: nil
        }
    }

    /// The items that are there: a menu has gaps where the camera lacks one.
    private func menu(
        of number: UInt32, _ query: v4l2_query_ext_ctrl
    ) throws(DeviceError) -> [CameraControl.MenuItem] {
        var items: [CameraControl.MenuItem] = []
        // No menu has so many; a driver that says so is wrong.
        for index in max(0, min(query.minimum, 255))...max(0, min(query.maximum, 255)) {
            var entry = v4l2_querymenu()
            entry.id = number
            entry.index = UInt32(clamping: index)
            guard try answers(shim_VIDIOC_QUERYMENU, &entry) else { continue }
            let isNumber = query.type == V4L2_CTRL_TYPE_INTEGER_MENU.rawValue
            items.append(
                CameraControl.MenuItem(value: index, name: isNumber ? "\(entry.value)" : SystemText.name(entry.name)))
        }
        return items
    }

    /// Whether the camera has an answer; its absence is the only error that counts here.
    private func answers<Argument>(_ request: UInt, _ argument: inout Argument) throws(DeviceError) -> Bool {
        let error = control(request, &argument)
        if error == ENODEV { throw failure(error, "the camera has gone") }
        return error == 0
    }
}

/// The word that stands for a control: `Exposure Time, Absolute` is `exposure_time_absolute`, as in v4l2-ctl(1).
enum ControlWord {
    static func word(of name: String) -> String {
        name.lowercased().unicodeScalars
            .split { !("a"..."z").contains($0) && !("0"..."9").contains($0) }
            .map { String(String.UnicodeScalarView($0)) }
            .joined(separator: "_")
    }
}
