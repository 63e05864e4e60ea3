/// One bulk transfer of the USB link, which neither joins nor splits what was written.
///
/// ```
///  0                   1
///  0 1 2 3 4 5 6 7 8 9 0 1 2 3 4 5
/// +-+-+---------------------------+-----------------+---------+
/// |L|0| payload length            | payload         | padding |
/// +-+-+---------------------------+-----------------+---------+
/// ```
///
/// L marks a ``USBLinkMessage``. A bulk read ends with a short packet or a full buffer and with nothing else (USB 2.0,
/// 5.8.3): so a transfer is either as long as the buffer, 16 KiB, or no multiple of the endpoint's packet size, for
/// which it may have one byte of padding. Zero-length packets, which not all device controllers send, aren't needed.
package struct USBChunk: Sendable {
    /// Every read has this length: what all device controllers take in one piece, a multiple of all packet sizes.
    package static let transferByteCount = 16 << 10
    package static let headerByteCount = 2
    package static let payloadByteCount = transferByteCount - headerByteCount

    /// It is for the link itself: see ``USBLinkMessage``.
    package let isLinkMessage: Bool
    /// Where the payload lies in the transfer.
    package let payload: Range<Int>

    /// How long the transfer is.
    ///
    /// - Parameters:
    ///   - payloadByteCount: 0 ... ``payloadByteCount``.
    ///   - packetSize: wMaxPacketSize of the endpoint: 64, 512 or 1024.
    package static func transferLength(payloadByteCount: Int, packetSize: Int) -> Int {
        let length = headerByteCount + payloadByteCount
        return length % packetSize == 0 && length != transferByteCount ? length + 1 : length
    }

    /// Writes the two bytes before a payload that stands behind them, and the padding.
    ///
    /// - Parameters:
    ///   - transfer: The buffer of the transfer, ``transferByteCount`` long.
    ///   - payloadByteCount: What stands in it from ``headerByteCount`` on.
    ///   - packetSize: wMaxPacketSize of the endpoint.
    ///   - isLinkMessage: See above.
    /// - Returns: How much of the buffer is to be sent.
    package static func seal(
        _ transfer: UnsafeMutableRawBufferPointer, payloadByteCount: Int, packetSize: Int, isLinkMessage: Bool = false
    ) -> Int {
        transfer.storeBigEndian(UInt16(payloadByteCount) | (isLinkMessage ? linkMessageBit : 0), at: 0)
        let length = transferLength(payloadByteCount: payloadByteCount, packetSize: packetSize)
        if length > headerByteCount + payloadByteCount { transfer[length - 1] = 0 }
        return length
    }

    /// What a read brought. Nil if that isn't one chunk: the beginning of one that was given up, or two in one.
    ///
    /// - Parameters:
    ///   - transfer: As long as what came.
    ///   - packetSize: wMaxPacketSize of the endpoint.
    package init?(_ transfer: UnsafeRawBufferPointer, packetSize: Int) {
        guard transfer.count >= Self.headerByteCount else { return nil }
        let header = transfer.bigEndian(UInt16.self, at: 0)
        let count = Int(header & ~Self.linkMessageBit)
        guard count <= Self.payloadByteCount,
            transfer.count == Self.transferLength(payloadByteCount: count, packetSize: packetSize)
        else { return nil }
        isLinkMessage = header & Self.linkMessageBit != 0
        payload = Self.headerByteCount..<Self.headerByteCount + count
    }

    private static let linkMessageBit: UInt16 = 1 << 15
}
