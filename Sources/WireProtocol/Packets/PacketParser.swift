/// Bytes in, in pieces of any size; whole packets out. The drawing of a packet stands at ``PacketHeader``.
///
/// Call ``next()`` until it returns nil after each ``append(_:)``: then the parser holds less than one packet.
package struct PacketParser: Sendable {
    private var buffer: [UInt8] = []
    private var consumed = 0

    package init() {}

    package mutating func append(_ bytes: UnsafeRawBufferPointer) {
        if consumed == buffer.count {
            buffer.removeAll(keepingCapacity: true)
            consumed = 0
        } else if consumed >= buffer.count - consumed {
            // Moving what is left is never more work than reading what went before: linear on the whole, also for
            // bytes that come one by one.
            buffer.removeSubrange(..<consumed)
            consumed = 0
        }
        buffer.append(contentsOf: bytes)
    }

    /// The next packet of a known type; packets of unknown types up to 127 are skipped. Nil: more bytes, please.
    ///
    /// After an error the stream has lost its place: close the link.
    package mutating func next() throws(WireError) -> Packet? {
        while let packet = try nextOfAnyType() {
            if packet.header.type.isKnown { return packet }
        }
        return nil
    }

    private mutating func nextOfAnyType() throws(WireError) -> Packet? {
        guard buffer.count - consumed >= PacketHeader.byteCount else { return nil }
        let header = try header(at: consumed)
        let start = consumed + PacketHeader.byteCount
        guard buffer.count - start >= header.payloadLength else { return nil }
        consumed = start + header.payloadLength
        return Packet(header: header, payload: buffer[start..<consumed])
    }

    private func header(at offset: Int) throws(WireError) -> PacketHeader {
        // `withUnsafeBytes` of an array does not know typed errors.
        let result = buffer.withUnsafeBytes { bytes -> Result<PacketHeader, WireError> in
            do throws(WireError) {
                return .success(try PacketHeader(decoding: UnsafeRawBufferPointer(rebasing: bytes[offset...])))
            } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Bytes that are not a whole packet yet. At the end of a link they must be none.
    package var leftoverByteCount: Int { buffer.count - consumed }
}
