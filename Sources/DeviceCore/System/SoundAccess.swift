import Glibc

/// Why there is no sound: no card, or no permission. ALSA says "no such file" for both.
enum SoundAccess {
    private static let folder = "/dev/snd"

    private static func nodes(_ matches: (String) -> Bool) -> [String] {
        SystemText.entries(of: folder).filter(matches).sorted().map { folder + "/" + $0 }
    }

    /// `pcmC0D0c` captures, `pcmC0D0p` plays.
    private static func isPCM(_ direction: SoundDirection) -> (String) -> Bool {
        { $0.hasPrefix("pcmC") && $0.hasSuffix(direction == .capture ? "c" : "p") }
    }

    /// The error when there are nodes that this user may not open; else nil.
    static func refusal(_ device: String, _ direction: SoundDirection) -> DeviceError? {
        let refused = nodes { isPCM(direction)($0) || $0.hasPrefix("controlC") }
            .first { access($0, R_OK | W_OK) != 0 && errno == EACCES }
        return refused.map { DeviceError(.permissionDenied, device: device, "\($0): \(NodeAccess.permissionHint($0))") }
    }

    /// The error for a name that ALSA does not find.
    static func absence(_ device: String, _ direction: SoundDirection) -> DeviceError {
        if let refusal = refusal(device, direction) { return refusal }
        if nodes(isPCM(direction)).isEmpty {
            let use = direction == .capture ? "to capture from" : "to play on"
            return DeviceError(.notFound, device: device, "this machine has no sound device \(use)")
        }
        return DeviceError(.notFound, device: device, "there is no such sound device; \(known(direction))")
    }

    /// `there is default, hw:CARD=C920,DEV=0`: what can be given instead.
    static func known(_ direction: SoundDirection) -> String {
        let names = ([SoundDevice.default] + SoundDevice.list(direction)).map(\.pcmName)
        return "there is " + names.joined(separator: ", ")
    }

    /// ` by arecord (123)` or nothing: who holds any device of that direction.
    static func holderText(_ direction: SoundDirection) -> String {
        let names = nodes(isPCM(direction)).flatMap(NodeAccess.holders(of:))
            .reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
        return names.isEmpty ? "" : " by " + names.joined(separator: ", ")
    }
}
