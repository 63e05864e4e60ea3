import CamoTypes

/// The form of a pairing code, without its meaning: trimming, fields, composing.
enum PairingCodeText {
    static let start = "camo:pair?"

    struct Field: Hashable {
        var key: String
        var value: ArraySlice<UInt8>
    }

    /// Without white space and byte order marks at either end: what comes along when a line is copied.
    static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        func isOuter(_ scalar: Unicode.Scalar) -> Bool {
            scalar.properties.isWhitespace || scalar.value == 0xFEFF || scalar.value == 0x200B
        }
        guard let first = scalars.firstIndex(where: { !isOuter($0) }),
            let last = scalars.lastIndex(where: { !isOuter($0) })
        else { return "" }
        return String(scalars[first...last])
    }

    /// The fields of `text`, which has been trimmed, in their order. Keys that are not known are left to the caller.
    static func fields(of text: String) throws(PairingCodeError) -> [Field] {
        let bytes = Array(text.utf8)
        guard !bytes.isEmpty else { throw .empty }
        guard bytes.starts(with: start.utf8) else { throw .notACode }
        guard bytes.count <= Limits.codeByteCount else { throw .tooLong(byteCount: bytes.count) }
        guard !text.unicodeScalars.contains(where: isLineBreak) else { throw .lineBreakInside }
        // RFC 3986: everything else is written with %.
        guard bytes.allSatisfy({ (0x21...0x7E).contains($0) }) else { throw .invalidCharacter }
        var fields: [Field] = []
        let body = bytes[start.utf8.count...]
        for (index, field) in body.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false).enumerated() {
            guard let equals = field.firstIndex(of: UInt8(ascii: "=")), equals > field.startIndex else {
                throw .malformedField(position: index + 1)
            }
            fields.append(
                Field(key: String(decoding: field[..<equals], as: UTF8.self), value: field[(equals + 1)...]))
        }
        return fields
    }

    private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x0A...0x0D, 0x85, 0x2028, 0x2029: true
        default: false
        }
    }

    /// The first address always (as far as it fits at all), then as much of the name as keeps the code small, then
    /// more addresses while it stays so.
    static func compose(key: DeviceID, secret: [UInt8], name: String, addresses: [String]) -> String {
        let fixed = "\(start)v=\(PairingCode.version)&k=\(Base64URL.text(key.bytes))&s=\(Base64URL.text(secret))"
        let fields = addresses.map { "&a=" + PercentEncoding.text($0) }
        var tail = ""
        if let first = fields.first, fixed.utf8.count + first.utf8.count + shortestName <= Limits.codeByteCount {
            tail = first
        }
        // A long address leaves no room for a name in a small code; then the code is large, but the name is there.
        let room = Limits.codeByteCountWanted - fixed.utf8.count - tail.utf8.count
        let nameField = "&n=" + encodedName(name, byteCount: max(room, shortestName) - 3)
        for field in fields.dropFirst()
        where fixed.utf8.count + nameField.utf8.count + tail.utf8.count + field.utf8.count
            <= Limits.codeByteCountWanted
        {
            tail += field
        }
        return fixed + nameField + tail
    }

    /// `&n=` and some letters to know it by.
    private static let shortestName = 19

    /// The longest prefix of whole characters whose encoded form fits.
    private static func encodedName(_ name: String, byteCount: Int) -> String {
        var encoded = ""
        for character in name {
            let next = PercentEncoding.text(String(character))
            guard encoded.utf8.count + next.utf8.count <= byteCount else { break }
            encoded += next
        }
        return encoded
    }

    /// `host:port` or `[v6]:port`, `[v6%scope]:port`: the form only; whoever dials it resolves it.
    static func isAddress(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard let colon = bytes.lastIndex(of: UInt8(ascii: ":")) else { return false }
        let (host, port) = (bytes[..<colon], bytes[(colon + 1)...])
        guard (1...5).contains(port.count), port.allSatisfy({ (0x30...0x39).contains($0) }),
            let number = Int(String(decoding: port, as: UTF8.self)), (1...65_535).contains(number)
        else { return false }
        if host.first == UInt8(ascii: "["), host.last == UInt8(ascii: "]") {
            return host.count > 2 && host.dropFirst().dropLast().allSatisfy { isHostByte($0, or: "%:") }
        }
        return !host.isEmpty && host.count <= 253 && host.allSatisfy { isHostByte($0, or: "") }
    }

    private static func isHostByte(_ byte: UInt8, or others: String) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"): true
        default: others.utf8.contains(byte)
        }
    }
}
