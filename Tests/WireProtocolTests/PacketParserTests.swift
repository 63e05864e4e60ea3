import CamoTypes
import Testing

@testable import WireProtocol

@Suite struct PacketParserTests {
    private func packet(_ type: PacketType, _ payload: [UInt8], stream: UInt16 = 1) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 16)
        let header = PacketHeader(
            type: type, flags: [.first, .last], stream: stream, payloadLength: payload.count,
            presentationTime: .seconds(7))
        bytes.withUnsafeMutableBytes { header.encode(into: $0) }
        return bytes + payload
    }

    private var threePackets: [UInt8] {
        packet(.control, [], stream: 0) + packet(.video, Vectors.content(Limits.packetPayloadByteCount))
            + packet(.audio, [1, 2, 3], stream: 3)
    }

    @Test func packetsComeOutWhereverTheBytesAreCut() throws {
        let threePackets = threePackets
        var whole = PacketParser()
        whole.append(threePackets)
        let expected = try whole.drain()
        #expect(expected.map(\.payload.count) == [0, 15_984, 3])
        #expect(expected.map(\.header.stream) == [0, 1, 3])
        #expect(expected[1].payload.elementsEqual(Vectors.content(15_984)))
        for size in [1, 2, 3, 15, 16, 17, 1_000, 15_999, 16_000, 16_001, 16_384] {
            var parser = PacketParser()
            var packets: [Packet] = []
            for start in stride(from: 0, to: threePackets.count, by: size) {
                parser.append(threePackets[start..<min(start + size, threePackets.count)])
                packets += try parser.drain()
                #expect(parser.leftoverByteCount < Limits.packetByteCount)
            }
            #expect(packets == expected, "pieces of \(size) bytes")
            #expect(parser.leftoverByteCount == 0)
        }
    }

    @Test func aPacketIsNotGivenOutBeforeItsLastByte() throws {
        let bytes = packet(.video, [1, 2, 3, 4])
        var parser = PacketParser()
        for byte in bytes.dropLast() {
            parser.append([byte])
            #expect(try parser.next() == nil)
        }
        #expect(parser.leftoverByteCount == bytes.count - 1)
        parser.append([bytes[bytes.count - 1]])
        #expect(try parser.next()?.payload == [1, 2, 3, 4])
    }

    @Test func unknownTypesAreSkippedByTheirLength() throws {
        var parser = PacketParser()
        for type in UInt8(4)..<128 {
            parser.append(packet(PacketType(rawValue: type), [UInt8](repeating: 0xFF, count: 99)))
        }
        parser.append(packet(.video, [5]))
        #expect(try parser.drain().map(\.payload) == [[5]])
        #expect(parser.leftoverByteCount == 0)
    }

    @Test func aReservedTypeAndALongPacketEndTheStreamAtTheirHeader() {
        var parser = PacketParser()
        parser.append(packet(.video, [5]) + packet(PacketType(rawValue: 200), []))
        #expect(throws: WireError.self) { try parser.drain() }

        var long = packet(.video, [])
        long[6] = 0x3E  // 15,985
        long[7] = 0x71
        parser = PacketParser()
        parser.append(long)
        let error = #expect(throws: WireError.self) { try parser.next() }
        #expect(error?.code == .packetTooLong)
    }

    @Test func aPacketThatIsKeptStaysAsItWas() throws {
        var parser = PacketParser()
        parser.append(packet(.video, [1, 2, 3]))
        let kept = try #require(try parser.next())
        for n in UInt8(0)..<100 {
            parser.append(packet(.video, [n, n, n]))
            _ = try parser.next()
        }
        #expect(kept.payload == [1, 2, 3])
    }
}
