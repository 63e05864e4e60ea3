/// Reads bits from the first of each byte on. Past the end it yields nil.
struct BitReader {
    private let bytes: [UInt8]
    private var position = 0

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func bit() -> Bool? {
        guard position < bytes.count * 8 else { return nil }
        defer { position += 1 }
        return bytes[position / 8] & (0x80 >> UInt8(position % 8)) != 0
    }

    /// u(n), n at most 32.
    mutating func bits(_ count: Int) -> UInt32? {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let bit = bit() else { return nil }
            value = value << 1 | (bit ? 1 : 0)
        }
        return value
    }

    /// ue(v), 9.1; at most 2^32 - 2.
    mutating func unsigned() -> UInt32? {
        var zeros = 0
        while true {
            guard let bit = bit() else { return nil }
            if bit { break }
            zeros += 1
            guard zeros < 32 else { return nil }
        }
        guard let rest = bits(zeros) else { return nil }
        return UInt32((UInt64(1) << zeros) - 1) + rest
    }

    /// se(v), 9.1.1.
    mutating func signed() -> Int32? {
        guard let code = unsigned() else { return nil }
        let magnitude = Int64(code) / 2 + Int64(code % 2)
        return Int32(clamping: code % 2 == 1 ? magnitude : -magnitude)
    }
}
