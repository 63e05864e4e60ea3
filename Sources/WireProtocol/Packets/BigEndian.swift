/// Network byte order, without alignment: what the header and the start of a unit are made of.
extension UnsafeRawBufferPointer {
    /// The caller has checked that `offset` and the integer lie within the buffer.
    func bigEndian<T: FixedWidthInteger>(_ type: T.Type, at offset: Int) -> T {
        T(bigEndian: loadUnaligned(fromByteOffset: offset, as: T.self))
    }
}

extension UnsafeMutableRawBufferPointer {
    func storeBigEndian(_ value: some FixedWidthInteger, at offset: Int) {
        storeBytes(of: value.bigEndian, toByteOffset: offset, as: type(of: value))
    }
}
