/// The byte stream format of H.264 (ITU-T H.264, Annex B): NAL units behind start codes.
package enum AnnexB {
    /// nal_unit_type (table 7-1), as far as anybody here asks for it.
    package enum UnitType {
        static let slice: UInt8 = 1
        static let slicePartitionA: UInt8 = 2
        static let idrSlice: UInt8 = 5
        static let sei: UInt8 = 6
        static let sequenceParameterSet: UInt8 = 7
        static let pictureParameterSet: UInt8 = 8
        static let accessUnitDelimiter: UInt8 = 9
    }

    static let startCode: [UInt8] = [0, 0, 0, 1]

    /// The NAL units of an access unit, header byte first, without start codes; empty ones are left out.
    package static func units(in bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var units: [ArraySlice<UInt8>] = []
        var start: Int?
        var index = 0
        while let code = nextStartCode(in: bytes, from: index) {
            if let start { units.append(trimmed(bytes[start..<code])) }
            start = code + 3
            index = code + 3
        }
        if let start { units.append(trimmed(bytes[start...])) }
        return units.filter { !$0.isEmpty }
    }

    static func type(of unit: ArraySlice<UInt8>) -> UInt8 { (unit.first ?? 0) & 0x1F }

    /// Where 00 00 01 begins, at or after `index`.
    static func nextStartCode(in bytes: [UInt8], from index: Int) -> Int? {
        bytes.withUnsafeBufferPointer { bytes in
            var at = index + 2
            while at < bytes.count {
                // Three steps at once: a byte above 1 ends every start code that it could be part of.
                if bytes[at] > 1 {
                    at += 3
                } else if bytes[at] == 1, bytes[at - 1] == 0, bytes[at - 2] == 0 {
                    return at - 2
                } else {
                    at += 1
                }
            }
            return nil
        }
    }

    /// Zeros after a NAL unit are padding, or the first byte of a four-byte start code (B.1.1).
    static func trimmed(_ unit: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var unit = unit
        while unit.last == 0 { unit.removeLast() }
        return unit
    }

    /// The payload behind the header byte, without emulation prevention (7.3.1): 00 00 03 is 00 00.
    static func payload(of unit: ArraySlice<UInt8>) -> [UInt8] {
        var payload: [UInt8] = []
        payload.reserveCapacity(unit.count)
        var zeros = 0
        for byte in unit.dropFirst() {
            if zeros >= 2, byte == 3 {
                zeros = 0
                continue
            }
            zeros = byte == 0 ? zeros + 1 : 0
            payload.append(byte)
        }
        return payload
    }
}
