/// Whether a writer's pauses are the ends of access units: found by watching.
///
/// A writer that sends pieces of pictures, as a buffer of fixed size does, pauses anywhere; one that has paused at ends
/// only, so often in a row, does not do so by chance.
struct QuietEnds: Sendable {
    /// A second of a usual camera.
    static let needed = 30

    private var agreements = 0
    private var wereWrong = false
    /// Where in the stream's buffer it paused last, within the picture at hand.
    private var position: Int?
    /// That was the end of a NAL unit; the next one decides.
    private var isAtEnd = false
    /// A unit was given out because of a pause; the next bytes show whether rightly.
    var hasEndedUnit = false

    var areBelieved: Bool { agreements >= Self.needed && !wereWrong }

    mutating func paused(at position: Int) {
        // Two pauses in one picture: the first was not its end.
        if let last = self.position, last != position { agreements = 0 }
        self.position = position
    }

    /// - Parameter gap: From its last byte to the next start code; zeros.
    mutating func unitEnded(in gap: ClosedRange<Int>) {
        guard let position else { return }
        self.position = nil
        isAtEnd = gap.contains(position)
        if !isAtEnd { agreements = 0 }
    }

    /// - Parameter isPicture: A new access unit begins with it.
    mutating func unitBegan(isPicture: Bool) {
        hasEndedUnit = false
        guard isAtEnd else { return }
        isAtEnd = false
        agreements = isPicture ? agreements + 1 : 0
    }

    /// The buffer has lost its first bytes.
    mutating func moved(by count: Int) { position = position.map { $0 - count } }

    mutating func wasWrong() {
        wereWrong = true
        hasEndedUnit = false
    }
}
