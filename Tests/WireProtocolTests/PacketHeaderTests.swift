import CamoTypes
import Testing

@testable import WireProtocol

@Suite struct PacketHeaderTests {
    struct Vector: Decodable {
        var name: String
        var hex: String
        var error: String?
        var type: UInt8?
        var flags: UInt8?
        var stream: UInt16?
        var payloadLength: Int?
        var presentationTimeMicroseconds: Int64?

        var header: PacketHeader? {
            guard let type, let flags, let stream, let payloadLength, let presentationTimeMicroseconds else {
                return nil
            }
            return PacketHeader(
                type: PacketType(rawValue: type), flags: PacketFlags(rawValue: flags), stream: stream,
                payloadLength: payloadLength,
                presentationTime: MonotonicTime(microseconds: presentationTimeMicroseconds))
        }
    }

    private func decode(_ bytes: [UInt8]) throws(WireError) -> PacketHeader {
        try bytes.withUnsafeBytes { bytes in
            Result { () throws(WireError) in try PacketHeader(decoding: bytes) }
        }.get()
    }

    @Test func everyVectorReadsAndWritesAsItSays() throws {
        let vectors: [Vector] = try Vectors.load("headers")
        #expect(vectors.count == 13)
        for vector in vectors {
            if let error = vector.error {
                let thrown = #expect(throws: WireError.self, "\(vector.name)") {
                    try decode(vector.hex.hexadecimalBytes)
                }
                #expect(thrown?.code.rawValue == error, "\(vector.name)")
            } else {
                let header = try #require(vector.header)
                #expect(try decode(vector.hex.hexadecimalBytes) == header, "\(vector.name)")
                var bytes = [UInt8](repeating: 0xFF, count: PacketHeader.byteCount)
                bytes.withUnsafeMutableBytes { header.encode(into: $0) }
                #expect(bytes == vector.hex.hexadecimalBytes, "\(vector.name)")
            }
        }
    }

    @Test func everyTypeIsKnownSkippedOrRefused() {
        for type in UInt8.min ... .max {
            var bytes = [UInt8](repeating: 0, count: 16)
            bytes[0] = type
            let isAccepted = (try? decode(bytes)) != nil
            #expect(isAccepted == (type < 128))
            #expect(PacketType(rawValue: type).isKnown == (type < 4))
        }
    }
}
