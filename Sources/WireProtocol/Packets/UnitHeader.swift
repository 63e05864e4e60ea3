/// What stands before the bytes of a unit in its first piece, big-endian:
/// ```
/// +---------------------------------------------------------------+
/// | unit length, without these 8 bytes                            |
/// +---------------------------------------------------------------+
/// | unit number                                                   |
/// +---------------------------------------------------------------+
/// ```
struct UnitHeader: Hashable {
    static let byteCount = 8

    /// Of all pieces together.
    var length: UInt32
    /// One more for each unit that was made, sent or not; wraps from 2^32 - 1 to 0.
    var number: UInt32

    init(length: UInt32, number: UInt32) {
        self.length = length
        self.number = number
    }

    func encode(into bytes: UnsafeMutableRawBufferPointer, at offset: Int) {
        bytes.storeBigEndian(length, at: offset)
        bytes.storeBigEndian(number, at: offset + 4)
    }

    /// The caller has checked that there are 8 bytes.
    init(decoding bytes: UnsafeRawBufferPointer) {
        length = bytes.bigEndian(UInt32.self, at: 0)
        number = bytes.bigEndian(UInt32.self, at: 4)
    }
}
