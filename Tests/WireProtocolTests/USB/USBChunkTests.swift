import Testing

@testable import WireProtocol

@Suite struct USBChunkTests {
    private static func sealed(_ payload: [UInt8], packetSize: Int, isLinkMessage: Bool = false) -> [UInt8] {
        var transfer = [UInt8](repeating: 0xEE, count: USBChunk.transferByteCount)
        transfer.replaceSubrange(USBChunk.headerByteCount..<USBChunk.headerByteCount + payload.count, with: payload)
        let length = transfer.withUnsafeMutableBytes {
            USBChunk.seal(
                $0, payloadByteCount: payload.count, packetSize: packetSize, isLinkMessage: isLinkMessage)
        }
        return Array(transfer[..<length])
    }

    private static func opened(_ transfer: [UInt8], packetSize: Int) -> (payload: [UInt8], isLinkMessage: Bool)? {
        let chunk = transfer.withUnsafeBytes { USBChunk($0, packetSize: packetSize) }
        return chunk.map { (Array(transfer[$0.payload]), $0.isLinkMessage) }
    }

    /// A read ends with a short packet or a full buffer: every transfer must make it end.
    @Test(arguments: [64, 512, 1_024])
    func everyLengthEndsARead(packetSize: Int) {
        for count in 0...USBChunk.payloadByteCount {
            let length = USBChunk.transferLength(payloadByteCount: count, packetSize: packetSize)
            #expect(length % packetSize != 0 || length == USBChunk.transferByteCount)
            #expect((2...3).contains(length - count))
        }
    }

    @Test(arguments: [64, 512, 1_024])
    func whatIsSealedIsOpened(packetSize: Int) {
        for count in [0, 1, packetSize - 3, packetSize - 2, packetSize - 1, 5_000, USBChunk.payloadByteCount] {
            let payload = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
            for isLinkMessage in [false, true] {
                let transfer = Self.sealed(payload, packetSize: packetSize, isLinkMessage: isLinkMessage)
                let opened = Self.opened(transfer, packetSize: packetSize)
                #expect(opened?.payload == payload)
                #expect(opened?.isLinkMessage == isLinkMessage)
            }
        }
    }

    @Test func theBytesAreThoseOfTheDocument() {
        #expect(Self.sealed([1, 2, 3], packetSize: 512) == [0, 3, 1, 2, 3])
        #expect(Self.sealed([9], packetSize: 512, isLinkMessage: true) == [0x80, 1, 9])
        let padded = Self.sealed([UInt8](repeating: 7, count: 510), packetSize: 512)
        #expect(padded.count == 513)
        #expect(padded.prefix(3) == [0x01, 0xFE, 7])
        #expect(padded.last == 0)
    }

    @Test(arguments: [
        [], [0], [0, 1], [0, 0, 1], [0, 2, 1], [0, 1, 1, 1], [0x40, 1, 1], [0x7F, 0xFF, 1], [0xFF, 0xFF],
    ])
    func whatIsNoChunkIsRefused(transfer: [UInt8]) {
        #expect(Self.opened(transfer, packetSize: 512) == nil)
    }

    /// Half of one and the whole of the next, in one read: what a killed program leaves.
    @Test func twoInOneAreRefused() {
        let whole = Self.sealed([UInt8](repeating: 5, count: 3_000), packetSize: 512)
        let next = Self.sealed([1, 2, 3], packetSize: 512)
        for cut in stride(from: 512, to: 3_000, by: 512) {
            #expect(Self.opened(Array(whole[..<cut]) + next, packetSize: 512) == nil)
        }
    }
}

@Suite struct USBLinkMessageTests {
    private static func bytes(_ message: USBLinkMessage) -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: USBLinkMessage.byteCount)
        bytes.withUnsafeMutableBytes { message.encode(into: $0) }
        return bytes
    }

    @Test func theBytesAreThoseOfTheDocument() {
        #expect(
            Self.bytes(USBLinkMessage(.reset, nonce: 0x0102_0304_0506_0708))
                == Array("camo usb".utf8) + [1, 1, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8])
        #expect(
            Self.bytes(USBLinkMessage(.ready, nonce: 1, program: .producer))
                == Array("camo usb".utf8) + [2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 1])
        #expect(Self.bytes(USBLinkMessage(.ready, nonce: 1, program: .studio))[10] == 2)
    }

    @Test func aKindOfProgramThatIsNotKnownIsNone() {
        var bytes = Self.bytes(USBLinkMessage(.reset, nonce: 1))
        bytes[10] = 3
        #expect(bytes.withUnsafeBytes { USBLinkMessage(decoding: $0) } == USBLinkMessage(.reset, nonce: 1))
    }

    @Test(arguments: [USBLinkMessage.Kind.reset, .ready, .start, .end, .close])
    func eachIsRead(kind: USBLinkMessage.Kind) {
        let message = USBLinkMessage(kind, nonce: .max - 5, version: 3, program: .studio)
        #expect(Self.bytes(message).withUnsafeBytes { USBLinkMessage(decoding: $0) } == message)
        // What a later version adds is passed over.
        #expect((Self.bytes(message) + [1, 2]).withUnsafeBytes { USBLinkMessage(decoding: $0) } == message)
    }

    @Test func anythingElseIsNone() {
        let good = Self.bytes(USBLinkMessage(.reset, nonce: 1))
        for count in 0..<USBLinkMessage.byteCount {
            #expect(good[..<count].withUnsafeBytes { USBLinkMessage(decoding: $0) } == nil)
        }
        for index in 0..<10 {
            var changed = good
            changed[index] ^= 0xFF
            #expect(changed.withUnsafeBytes { USBLinkMessage(decoding: $0) }?.kind != .reset || index == 9)
        }
    }
}
