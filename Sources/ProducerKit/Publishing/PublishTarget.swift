internal import MediaCore

/// A media server, and where on it a stream goes: `rtmp://`, `rtmps://`, `rtsp://`, `srt://` or `udp://`.
///
/// Its address holds secrets (a name and password, a stream key, a passphrase). It is printed as protocol, host and port,
/// whichever way it is printed; nothing else of it gets into a message or an error.
public struct PublishTarget: Hashable, Sendable {
    /// A stream key of a service has a hundred characters; this is far more.
    static let longest = 2_048

    let url: String
    let kind: PublishingProtocol
    /// `host`, `host:port`, `[::1]:port`.
    let host: String
    /// What stands before the host may be a part of a password in which somebody has written a `/`.
    private let isHostCertain: Bool

    /// - Parameter url: As libavformat takes it, for example `srt://host:9000?passphrase=…` or
    ///   `rtmp://host/application/key`.
    /// - Throws: ``ProducerError`` `invalidArgument`, without the address: another protocol, or no host.
    public init(_ url: String) throws(ProducerError) {
        guard let colon = url.firstRange(of: "://") else {
            throw ProducerError(.invalidArgument, "an address to publish to begins with \(Self.schemes)")
        }
        let scheme = url[..<colon.lowerBound]
        guard let kind = PublishingProtocol(rawValue: scheme.lowercased()) else {
            guard scheme.lowercased() != "rtsps" else {
                throw ProducerError(
                    .invalidArgument,
                    "publishing by 'rtsps' is not possible: libavformat would not check whose certificate it is; "
                        + "use rtmps://, or srt:// with a passphrase")
            }
            let isWord = scheme.utf8.count <= 16 && scheme.utf8.allSatisfy(Self.isHostByte)
            throw ProducerError(
                .invalidArgument,
                "publishing by \(isWord ? "'\(scheme)'" : "that protocol") is not possible: use \(Self.schemes)")
        }
        guard url.utf8.count <= Self.longest, url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw ProducerError(
                .invalidArgument,
                "the \(scheme) address is longer than \(Self.longest) bytes, or holds spaces or other than ASCII "
                    + "characters: write those as %20 and so on")
        }
        let rest = url[colon.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let host = authority.split(separator: "@", omittingEmptySubsequences: false).last ?? ""
        guard Self.isHost(host), kind != .srt && kind != .udp || Self.port(of: host) != nil else {
            throw ProducerError(
                .invalidArgument,
                "the \(scheme) address names no host after '://'"
                    + (kind == .srt || kind == .udp ? ", or no port: \(scheme)://HOST:PORT" : ""))
        }
        // The protocol in small letters: libavformat knows it only so.
        self.url = kind.rawValue + url[colon.lowerBound...]
        self.kind = kind
        self.host = String(host)
        isHostCertain = authority.contains("@") || !rest.contains("@")
    }

    private static let schemes = PublishingProtocol.allCases.map { "\($0.rawValue)://" }.joined(separator: ", ")

    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The port of `host:port`; nil where there is none, or it is none.
    private static func port(of host: Substring) -> UInt16? {
        guard let colon = host.lastIndex(of: ":"), !host.hasSuffix("]") else { return nil }
        return UInt16(host[host.index(after: colon)...])
    }

    private static func isHost(_ text: Substring) -> Bool {
        if text.hasPrefix("[") {
            guard let end = text.firstIndex(of: "]") else { return false }
            let rest = text[text.index(after: end)...]
            return text[..<end].dropFirst().utf8.allSatisfy { isHostByte($0) || $0 == 0x3A || $0 == 0x25 }
                && (rest.isEmpty || port(of: text) != nil)
        }
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        return !parts[0].isEmpty && parts[0].utf8.allSatisfy(isHostByte)
            && (parts.count == 1 || UInt16(parts[1]) != nil)
    }
}

extension PublishTarget: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "\(kind.rawValue)://\(isHostCertain ? host : "…")" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
