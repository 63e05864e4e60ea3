extension QRSymbol {
    /// A picture in PNG (ISO/IEC 15948): grey scale of one bit, `scale` pixels a module.
    ///
    /// Written here, and not by an image library, because it is a secret that goes into a file only its owner can
    /// read, in one piece.
    package func png(scale: Int = 8) -> [UInt8] {
        let side = (width + 2 * Self.quietZone) * scale
        var rows: [UInt8] = []
        for y in range {
            let row = pngRow(y, scale: scale)
            for _ in 0..<scale { rows += row }
        }
        var header = UInt32(side).bigEndianBytes + UInt32(side).bigEndianBytes
        header += [1, 0, 0, 0, 0]  // bits a sample, grey scale, deflate, adaptive filters, not interlaced
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
            + Self.chunk("IHDR", header) + Self.chunk("IDAT", Self.zlib(rows)) + Self.chunk("IEND", [])
    }

    /// The filter type, then the pixels: 1 is white.
    private func pngRow(_ y: Int, scale: Int) -> [UInt8] {
        var row: [UInt8] = [0]
        var byte: UInt8 = 0
        var bits = 0
        for x in range {
            for _ in 0..<scale {
                byte = byte << 1 | (isDark(x: x, y: y) ? 0 : 1)
                bits += 1
                if bits == 8 {
                    row.append(byte)
                    (byte, bits) = (0, 0)
                }
            }
        }
        if bits > 0 { row.append(byte << UInt8(8 - bits)) }
        return row
    }

    private static func chunk(_ type: String, _ data: [UInt8]) -> [UInt8] {
        let body = Array(type.utf8) + data
        return UInt32(data.count).bigEndianBytes + body + crc32(body).bigEndianBytes
    }

    /// A zlib stream (RFC 1950) of stored blocks (RFC 1951, 3.2.4): 30 KB need no compression.
    private static func zlib(_ data: [UInt8]) -> [UInt8] {
        var stream: [UInt8] = [0x78, 0x01]
        var rest = data[...]
        repeat {
            let block = rest.prefix(0xFFFF)
            rest = rest.dropFirst(block.count)
            let count = UInt16(block.count)
            stream.append(rest.isEmpty ? 1 : 0)
            for value in [count, ~count] { stream += [UInt8(value & 0xFF), UInt8(value >> 8)] }
            stream += block
        } while !rest.isEmpty
        return stream + adler32(data).bigEndianBytes
    }

    /// ISO/IEC 15948, annex D.
    private static func crc32(_ bytes: [UInt8]) -> UInt32 {
        ~bytes.reduce(~0) { crc, byte in
            var crc = crc ^ UInt32(byte)
            for _ in 0..<8 { crc = crc & 1 == 1 ? crc >> 1 ^ 0xEDB8_8320 : crc >> 1 }
            return crc
        }
    }

    /// RFC 1950, 9.
    private static func adler32(_ bytes: [UInt8]) -> UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        return b << 16 | a
    }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] {
        [UInt8(self >> 24), UInt8(self >> 16 & 0xFF), UInt8(self >> 8 & 0xFF), UInt8(self & 0xFF)]
    }
}
