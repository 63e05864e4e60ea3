import CamoTypes
import Testing

@testable import WireProtocol

@Suite struct UnitTests {
    struct SplitVector: Decodable {
        struct Piece: Decodable {
            var length: Int
            var startHex: String
            var sha256: String
        }
        var name: String
        var type: UInt8
        var stream: UInt16
        var number: UInt32
        var presentationTimeMicroseconds: Int64
        var keyframe: Bool
        var `repeat`: Bool
        var discontinuity: Bool
        var unitLength: Int
        var packets: [Piece]

        var splitter: UnitSplitter {
            UnitSplitter(
                unit: AccessUnit(
                    bytes: Vectors.content(unitLength),
                    presentationTime: MonotonicTime(microseconds: presentationTimeMicroseconds),
                    isKeyframe: keyframe, isRepeat: `repeat`, isDiscontinuity: discontinuity),
                type: PacketType(rawValue: type), stream: stream, number: number)
        }
    }

    private func packets(of splitter: UnitSplitter) -> [[UInt8]] {
        var splitter = splitter
        var packets: [[UInt8]] = []
        while let packet = splitter.next() { packets.append(packet) }
        return packets
    }

    private func unit(_ count: Int, keyframe: Bool = false) -> AccessUnit {
        AccessUnit(
            bytes: [UInt8](repeating: 0x55, count: count), presentationTime: .seconds(1), isKeyframe: keyframe)
    }

    @Test func unitsAreSplitAsTheVectorsSay() throws {
        let vectors: [SplitVector] = try Vectors.load("units")
        #expect(vectors.count == 8)
        for vector in vectors {
            let packets = packets(of: vector.splitter)
            #expect(packets.map(\.count) == vector.packets.map(\.length), "\(vector.name)")
            #expect(packets.allSatisfy { $0.count <= 16_000 })
            for (packet, expected) in zip(packets, vector.packets) {
                #expect(Hexadecimal.text(packet.prefix(32)) == expected.startHex, "\(vector.name)")
                #expect(Hexadecimal.text(ReferenceHash().sha256(packet)) == expected.sha256, "\(vector.name)")
            }
        }
    }

    @Test func whatIsSplitComesTogetherAgain() throws {
        for vector in try Vectors.load("units", as: SplitVector.self) {
            var parser = PacketParser()
            var assembler = UnitAssembler(type: PacketType(rawValue: vector.type), stream: vector.stream)
            // A stream of video starts with a keyframe.
            let first = UnitSplitter(
                unit: unit(1, keyframe: true), type: assembler.type, stream: vector.stream, number: vector.number &- 1)
            for packet in packets(of: first) + packets(of: vector.splitter) { parser.append(packet) }
            let units = try parser.drain().compactMap { try assembler.accept($0) }
            let last = try #require(units.last)
            #expect(units.count == 2 && last.missedBefore == 0 && last.number == vector.number, "\(vector.name)")
            #expect(last.unit.bytes == Vectors.content(vector.unitLength), "\(vector.name)")
            #expect(last.unit.presentationTime.microseconds == vector.presentationTimeMicroseconds)
            #expect(last.unit.isKeyframe == vector.keyframe)
            #expect(last.unit.isRepeat == vector.repeat)
            #expect(last.unit.isDiscontinuity == vector.discontinuity)
        }
    }

    struct StreamVector: Decodable {
        var name: String
        var hex: String
        var units: [[Int]]
        var error: String?
    }

    @Test(arguments: [1, 7, 1_000_000])
    func streamsAreReadAsTheVectorsSay(pieceSize: Int) throws {
        let vectors: [StreamVector] = try Vectors.load("streams")
        #expect(vectors.count == 19)
        for vector in vectors {
            let bytes = vector.hex.hexadecimalBytes
            var parser = PacketParser()
            var assembler = UnitAssembler(type: .video, stream: 1)
            var units: [[Int]] = []
            var code: String?
            do throws(WireError) {
                for start in stride(from: 0, to: bytes.count, by: pieceSize) {
                    parser.append(bytes[start..<min(start + pieceSize, bytes.count)])
                    while let packet = try parser.next() {
                        guard let unit = try assembler.accept(packet) else { continue }
                        units.append([Int(unit.number), unit.missedBefore])
                    }
                }
            } catch {
                code = error.code.rawValue
            }
            #expect(units == vector.units, "\(vector.name)")
            #expect(code == vector.error, "\(vector.name)")
        }
    }

    @Test func emptyAndTooLongUnitsAreNotSent() {
        #expect(packets(of: UnitSplitter(unit: unit(0), type: .video, stream: 1, number: 0)).isEmpty)
        let longSound = unit(Limits.audioByteCount + 1)
        #expect(packets(of: UnitSplitter(unit: longSound, type: .audio, stream: 3, number: 0)).isEmpty)
        let longest = unit(Limits.unitByteCount)
        #expect(packets(of: UnitSplitter(unit: longest, type: .video, stream: 1, number: 0)).count == 1_050)
    }

    @Test func eachTypeHasItsOwnLimitAtTheReceiver() throws {
        for (type, limit) in [
            (PacketType.control, 64 << 10), (.metadata, 64 << 10), (.audio, 128 << 10), (.video, 16 << 20),
        ] {
            for (length, isAllowed) in [(limit, true), (limit + 1, false)] {
                var assembler = UnitAssembler(type: type, stream: 0)
                var start = [UInt8](repeating: 0, count: 8)
                start.withUnsafeMutableBytes { UnitHeader(length: UInt32(length), number: 0).encode(into: $0, at: 0) }
                let header = PacketHeader(
                    type: type, flags: .first, stream: 0, payloadLength: 8, presentationTime: .seconds(0))
                let result = Result { () throws(WireError) in
                    try assembler.accept(Packet(header: header, payload: start[...]))
                }
                switch result {
                case .success: #expect(isAllowed)
                case .failure(let error): #expect(!isAllowed && error.code == .unitLengthOutOfRange)
                }
            }
        }
    }

    @Test func aCutUnitIsThrownAwayAndAKeyframeIsAwaited() throws {
        var splitter = UnitSplitter(unit: unit(40_000, keyframe: true), type: .video, stream: 1, number: 5)
        #expect(!splitter.isStarted)
        let next = splitter.next()
        let first = try #require(next)
        #expect(splitter.isStarted && !splitter.isFinished)
        let cut = splitter.cut()
        #expect(splitter.isFinished && splitter.next() == nil)

        var parser = PacketParser()
        var assembler = UnitAssembler(type: .video, stream: 1)
        #expect(assembler.needsKeyframe)
        parser.append(first)
        var delivered = try parser.drain().compactMap { try assembler.accept($0) }
        #expect(!assembler.needsKeyframe)
        parser.append(cut)
        delivered += try parser.drain().compactMap { try assembler.accept($0) }
        #expect(delivered.isEmpty)
        #expect(assembler.needsKeyframe)
    }

    @Test func soundGoesOnAfterAGap() throws {
        var parser = PacketParser()
        var assembler = UnitAssembler(type: .audio, stream: 3)
        for number: UInt32 in [10, 11, 15] {
            for packet in packets(of: UnitSplitter(unit: unit(160), type: .audio, stream: 3, number: number)) {
                parser.append(packet)
            }
        }
        let missed = try parser.drain().compactMap { try assembler.accept($0)?.missedBefore }
        #expect(missed == [0, 0, 3])
        #expect(assembler.missedCount == 3)
    }

    @Test func controlMessagesAreNeverCut() {
        var assembler = UnitAssembler(type: .control, stream: 0)
        let header = PacketHeader(
            type: .control, flags: .cut, stream: 0, payloadLength: 0, presentationTime: .seconds(0))
        let error = #expect(throws: WireError.self) {
            try assembler.accept(Packet(header: header, payload: []))
        }
        #expect(error?.code == .controlCut)
    }

    @Test func streamsMayBeInterleavedUnitsOfOneStreamMayNot() throws {
        var picture = UnitSplitter(unit: unit(40_000, keyframe: true), type: .video, stream: 1, number: 0)
        var sound = UnitSplitter(unit: unit(160), type: .audio, stream: 3, number: 0)
        var message = UnitSplitter(message: .ping(Ping(id: 1)), number: 0, time: .seconds(3))
        var parser = PacketParser()
        for packet in [picture.next(), sound.next(), picture.next(), message.next(), picture.next()] {
            parser.append(try #require(packet))
        }
        var assemblers = [
            PacketType.video: UnitAssembler(type: .video, stream: 1), .audio: UnitAssembler(type: .audio, stream: 3),
            .control: UnitAssembler(type: .control, stream: 0),
        ]
        let units = try parser.drain().compactMap { try assemblers[$0.header.type]?.accept($0) }
        #expect(
            units.map(\.unit.bytes.count) == [160, Array(ControlMessage.ping(Ping(id: 1)).encoded()).count, 40_000])
        #expect(try ControlMessage.decode(units[1].unit.bytes) == .ping(Ping(id: 1)))
    }
}
