/// A name that came from a person or from a peer, made fit to be shown: a label, never an identity.
///
/// 1 … 64 bytes of UTF-8 in NFC, on one line, without control characters, without characters that change the
/// direction of the text around them, and not blank.
public struct DeviceName: Hashable, Sendable, CustomStringConvertible {
    /// In bytes of UTF-8. A DNS-SD instance name (RFC 6763, 4.1.1) has at most 63: the advertiser cuts the last.
    public static let maximumByteCount = 64

    public let text: String

    /// - Parameters:
    ///   - raw: What somebody called the device.
    ///   - fallback: Used, cleaned in the same way, when nothing that can be seen is left of `raw`.
    public init(_ raw: some StringProtocol, fallback: String) {
        text = Self.cleaned(raw) ?? Self.cleaned(fallback) ?? "unnamed"
    }

    public var description: String { text }

    private static func cleaned(_ raw: some StringProtocol) -> String? {
        TextLine.cleaned(raw, maximumByteCount: maximumByteCount)
    }
}
