import Testing

@testable import TransportCore

/// What the kernel is told of the gadget and says of its host, byte for byte.
@Suite struct GadgetBytesTests {
    private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
        bytes.reversed().reduce(0) { $0 << 8 | Int($1) }
    }

    @Test func theDescriptorsAreAsLongAsTheySay() {
        let all = FunctionFSDescriptors.descriptors
        #expect(Self.number(all[0..<4]) == 3)
        #expect(Self.number(all[4..<8]) == all.count)
        #expect(Self.number(all[8..<12]) == 15)
        // Each descriptor begins with its length: together they fill what is left, in the numbers that were announced.
        var (rest, counts) = (all[28...], [Int]())
        for announced in [12, 16, 20].map({ Self.number(all[$0..<$0 + 4]) }) {
            for _ in 0..<announced { rest = rest.dropFirst(Int(rest.first ?? 1)) }
            counts.append(announced)
        }
        #expect(counts == [3, 3, 5])
        #expect(Self.number(all[24..<28]) == 1)
        #expect(Self.number(rest.dropFirst(1).prefix(4)) == rest.count)
        #expect(String(decoding: rest.dropFirst(13).prefix(6), as: UTF8.self) == "WINUSB")
    }

    @Test func thePacketSizesAreThoseOfTheSpeeds() {
        let all = FunctionFSDescriptors.descriptors
        // Endpoint descriptors: length 7, type 5.
        let endpoints = all.indices.dropLast(7).filter { all[$0] == 7 && all[$0 + 1] == 5 && all[$0 + 3] == 2 }
        #expect(endpoints.map { Self.number(all[$0 + 4..<$0 + 6]) } == [64, 64, 512, 512, 1_024, 1_024])
        #expect(endpoints.map { all[$0 + 2] & 0x80 != 0 } == [true, false, true, false, true, false])
    }

    @Test func theNameIsWritten() {
        let all = FunctionFSDescriptors.strings
        #expect(Self.number(all[4..<8]) == all.count)
        #expect(String(decoding: all.dropFirst(18).dropLast(), as: UTF8.self) == "camo link 1")
        #expect(all.last == 0)
    }

    @Test func eventsAreRead() {
        func event(_ type: UInt8, requestType: UInt8 = 0) -> FunctionFSEvent? {
            let bytes: [UInt8] = [requestType, 0, 0, 0, 0, 0, 0, 0, type, 0, 0, 0]
            return bytes.withUnsafeBytes { FunctionFSEvent($0) }
        }
        #expect(
            (0..<7).map { event($0) } == [
                .bind, .unbind, .enable, .disable, .setup(isToHost: false), .suspend, .resume,
            ])
        #expect(event(4, requestType: 0xC1) == .setup(isToHost: true))
        #expect(event(7) == nil)
        #expect([UInt8](repeating: 0, count: 11).withUnsafeBytes { FunctionFSEvent($0) } == nil)
    }

    @Test func theLadderHasAnEndAndBeginsAnew() {
        var recovery = USBRecovery()
        let steps: [USBRecovery.Step] = [
            .repair(.clearHalt), .repair(.claimAgain), .repair(.resetDevice), .giveUp, .giveUp,
        ]
        #expect((0..<5).map { _ in recovery.failed().step } == steps)
        recovery.succeeded()
        #expect(recovery.failed().step == .repair(.clearHalt))
    }
}
