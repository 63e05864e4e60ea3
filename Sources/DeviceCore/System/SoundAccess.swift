import Glibc

/// Why there is no sound: no card, or no permission. ALSA says "no such file" for both.
enum SoundAccess {
    private static let folder = "/dev/snd"

    private static func nodes(_ matches: (String) -> Bool) -> [String] {
        SystemText.entries(of: folder).filter(matches).sorted().map { folder + "/" + $0 }
    }

    private static func isCapture(_ name: String) -> Bool { name.hasPrefix("pcmC") && name.hasSuffix("c") }

    /// The error when there are nodes that this user may not open; else nil.
    static func refusal(_ device: String) -> DeviceError? {
        let refused = nodes { isCapture($0) || $0.hasPrefix("controlC") }
            .first { access($0, R_OK | W_OK) != 0 && errno == EACCES }
        return refused.map { DeviceError(.permissionDenied, device: device, "\($0): \(NodeAccess.permissionHint($0))") }
    }

    /// The error for a name that ALSA does not find.
    static func absence(_ device: String) -> DeviceError {
        if let refusal = refusal(device) { return refusal }
        if nodes(isCapture).isEmpty {
            return DeviceError(.notFound, device: device, "this machine has no sound device to capture from")
        }
        return DeviceError(.notFound, device: device, "there is no such sound device; list shows those that are there")
    }

    /// ` by arecord (123)` or nothing: who holds any capture device.
    static func holderText() -> String {
        let names = nodes(isCapture).flatMap(NodeAccess.holders(of:))
            .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return names.isEmpty ? "" : " by " + names.joined(separator: ", ")
    }
}
