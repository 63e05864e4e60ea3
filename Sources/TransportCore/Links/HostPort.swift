/// Where to dial: a name or an address, and a port. `studio.local:5700`, `192.168.1.7:5700`, `[fe80::1%eth0]:5700`.
package struct HostPort: Hashable, Sendable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address with its scope but without brackets.
    package var host: String
    package var port: UInt16

    package init(host: String, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Longest host name (RFC 1035, 2.3.4), with room for the scope of an IPv6 address.
    static let maximumHostLength = 255

    /// Reads what `description` writes. The port is needed, and isn't 0.
    package init(parsing text: some StringProtocol) throws(TransportError) {
        func invalid(_ why: String) -> TransportError {
            let shown = text.unicodeScalars.prefix(80).map { $0.value < 0x20 || $0.value == 0x7F ? "?" : String($0) }
            return TransportError(
                .addressInvalid,
                "\"\(shown.joined())\" is not an address: \(why). Write HOST:PORT, or [ADDRESS]:PORT for IPv6")
        }
        guard let colon = text.lastIndex(of: ":") else { throw invalid("it has no port") }
        var host = text[..<colon]
        let digits = text[text.index(after: colon)...]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { throw invalid("brackets are for IPv6 addresses") }
        } else if host.contains(":") || text.hasSuffix("]") {
            throw invalid("an IPv6 address needs brackets and a port")
        }
        guard !host.isEmpty else { throw invalid("it has no host") }
        guard host.utf8.count <= Self.maximumHostLength else { throw invalid("the host is too long") }
        guard host.utf8.allSatisfy(Self.mayBeInHost) else { throw invalid("the host has characters that no host has") }
        guard !digits.isEmpty, digits.utf8.count <= 5, digits.utf8.allSatisfy({ 48...57 ~= $0 }),
            let port = UInt16(digits), port > 0
        else { throw invalid("the port is not a number from 1 to 65535") }
        self.init(host: String(host), port: port)
    }

    /// Letters, digits and what else stands in names, addresses and scopes. Bytes above ASCII belong to names in other
    /// scripts, which the resolver judges.
    private static func mayBeInHost(_ byte: UInt8) -> Bool {
        switch byte {
        case 48...57, 65...90, 97...122, 0x80...: true
        case UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: ":"), UInt8(ascii: "%"): true
        default: false
        }
    }

    package var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
