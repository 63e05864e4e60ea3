import CamoTypes
import Testing

@testable import WireProtocol

/// What the fuzzer does for minutes, for a moment, with the same seed each time: nothing that a peer can send traps.
@Suite struct RandomInputTests {
    /// Messages, codes and streams that are right, to be spoiled.
    private var seeds: [[UInt8]] {
        ExampleMessages.all.map { $0.encoded() }
    }

    /// Flips, cuts, doubles, or replaces by what parsers trip over.
    private func mutated(_ seed: [UInt8], using generator: inout SplitMix64) -> [UInt8] {
        var bytes = seed
        for _ in 0...Int.random(in: 0...3, using: &generator) where !bytes.isEmpty {
            let index = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0..<6, using: &generator) {
            case 0: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes[index] = UInt8.random(in: .min ... .max, using: &generator)
            case 2: bytes.removeSubrange(index...)
            case 3: bytes.remove(at: index)
            case 4: bytes.insert(contentsOf: bytes[index...].prefix(9), at: index)
            default: bytes.insert([0, 0x22, 0x5B, 0x7B, 0x80, 0xFF, 0x2D, 0x39][index % 8], at: index)
            }
        }
        return bytes
    }

    /// All tests share a thread for each core; those of other modules wait for events with a time limit.
    private func letOthersRun(_ round: Int) async {
        if round % 200 == 0 { await Task.yield() }
    }

    @Test func spoiledMessages() async throws {
        var generator = SplitMix64(seed: 1)
        let seeds = seeds
        var read = 0
        for round in 0..<20_000 {
            await letOthersRun(round)
            let seed = seeds[Int.random(in: seeds.indices, using: &generator)]
            guard let message = try? ControlMessage.decode(mutated(seed, using: &generator)) else { continue }
            read += 1
            let again = try ControlMessage.decode(message.encoded())
            #expect(again == message)
        }
        #expect(read > 1_000, "many spoiled messages can still be read")
    }

    @Test func spoiledCodes() async throws {
        var generator = SplitMix64(seed: 2)
        let seeds = try Vectors.load("codes", as: PairingCodeTests.Vector.self).map { Array($0.text.utf8) }
        for round in 0..<40_000 {
            await letOthersRun(round)
            let seed = seeds[Int.random(in: seeds.indices, using: &generator)]
            let text = String(decoding: mutated(seed, using: &generator), as: UTF8.self)
            guard let code = try? PairingCode.parse(text) else { continue }
            #expect(try PairingCode.parse(code.text) == code)
        }
    }

    @Test func spoiledStreams() async throws {
        var generator = SplitMix64(seed: 3)
        let seeds = try Vectors.load("streams", as: UnitTests.StreamVector.self).map(\.hex.hexadecimalBytes)
            .filter { $0.count < 1_000 }
        for round in 0..<40_000 {
            await letOthersRun(round)
            let seed = seeds[Int.random(in: seeds.indices, using: &generator)]
            let bytes = mutated(seed, using: &generator)
            var parser = PacketParser()
            var assembler = UnitAssembler(type: .video, stream: 1)
            let size = Int.random(in: 1...200, using: &generator)
            do throws(WireError) {
                for start in stride(from: 0, to: bytes.count, by: size) {
                    parser.append(bytes[start..<min(start + size, bytes.count)])
                    while let packet = try parser.next() { _ = try assembler.accept(packet) }
                }
            } catch {
                #expect(!error.description.isEmpty)
            }
        }
    }
}
