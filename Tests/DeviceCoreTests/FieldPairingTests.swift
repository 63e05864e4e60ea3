import Testing

@testable import DeviceCore

/// Which fields of an interlaced signal are taken for one frame.
@Suite struct FieldPairingTests {
    /// `T0`: a top field with the sequence number 0; `?0`: one that does not say.
    private func actions(_ fields: String) -> [FieldPairing.Action] {
        var pairing = FieldPairing()
        return fields.split(separator: " ").map { field in
            let parity: FieldParity? = field.hasPrefix("T") ? .top : field.hasPrefix("B") ? .bottom : nil
            return pairing.fieldReceived(parity, sequence: UInt32(field.dropFirst()) ?? .max)
        }
    }

    @Test("Two fields of one number are a frame, whichever comes first")
    func pairs() {
        #expect(actions("T0 B0 T1 B1") == [.begin, .complete, .begin, .complete])
        #expect(actions("B7 T7 B8 T8") == [.begin, .complete, .begin, .complete])
        // Around the end of the numbers.
        #expect(actions("T4294967295 B4294967295 T0 B0") == [.begin, .complete, .begin, .complete])
    }

    @Test("A lost field halves its own frame and none after it")
    func losses() {
        #expect(actions("T0 B0 T1 T2 B2") == [.begin, .complete, .begin, .begunIsHalf, .complete])
        #expect(actions("T0 B0 B1 T2 B2") == [.begin, .complete, .begin, .begunIsHalf, .complete])
        // Both that were next to one another: what is left looks like a pair and is none.
        #expect(actions("T0 B0 T1 B2 T3 B3") == [.begin, .complete, .begin, .begunIsHalf, .begunIsHalf, .complete])
        // Begun in the middle of a frame.
        #expect(actions("B0 T1 B1 T2 B2") == [.begin, .begunIsHalf, .complete, .begin, .complete])
    }

    @Test("A driver that counts fields is understood after three of them")
    func fieldNumbers() {
        #expect(
            actions("T0 B1 T2 B3 T4 B5 T6") == [
                .begin, .begunIsHalf, .begunIsHalf, .complete, .begin, .complete, .begin,
            ])
        #expect(
            actions("T0 B1 T2 B3 T4 B6 T7") == [
                .begin, .begunIsHalf, .begunIsHalf, .complete, .begin, .begunIsHalf, .complete,
            ])
    }

    @Test("A driver that counts nothing is gone by the parity")
    func noNumbers() {
        #expect(
            actions("T0 B0 T0 B0 T0 T0 B0") == [
                .begin, .complete, .begin, .complete, .begin, .begunIsHalf, .complete,
            ])
    }

    @Test("A field that does not say which it is makes no pair")
    func noParity() {
        #expect(actions("?0 ?0 ?1") == [.unknown, .unknown, .unknown])
        #expect(actions("T0 ?0 B0") == [.begin, .unknown, .begin])
    }

    @Test("One field alone, as game consoles send it, is a frame each time")
    func oneParity() { #expect(actions("T0 T1 T2") == [.begin, .begunIsHalf, .begunIsHalf]) }
}
