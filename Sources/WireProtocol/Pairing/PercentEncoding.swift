/// Values in a pairing code: percent-encoding (RFC 3986, 2.1). `+` is a plus sign, not a space.
enum PercentEncoding {
    enum Flaw: Error, Hashable { case brokenEscape, notUTF8 }

    /// `-._~` are unreserved; `:[]` stand in addresses and separate nothing here; `,` and `!` occur in names.
    private static let plain = Set("-._~:[],!".utf8)

    static func text(_ value: String) -> String {
        var text: [UInt8] = []
        for byte in value.utf8 {
            if isAlphanumeric(byte) || plain.contains(byte) {
                text.append(byte)
            } else {
                text += [UInt8(ascii: "%")] + Hexadecimal.text([byte]).uppercased().utf8
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    static func value(_ text: some Sequence<UInt8>) throws(Flaw) -> String {
        var bytes: [UInt8] = []
        var iterator = text.makeIterator()
        while let byte = iterator.next() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = iterator.next().flatMap(Hexadecimal.value),
                let low = iterator.next().flatMap(Hexadecimal.value)
            else { throw .brokenEscape }
            bytes.append(high << 4 | low)
        }
        guard let value = String(validating: bytes, as: UTF8.self) else { throw .notUTF8 }
        return value
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}
