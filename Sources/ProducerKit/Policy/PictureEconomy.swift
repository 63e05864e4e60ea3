/// What else is spared when a link carries so little that the rate alone does not do: first every other picture, so
/// that those that are sent have twice the bits, then the definition, step by step.
///
/// A value: the rate of the encode in, what to make of the pictures out.
struct PictureEconomy: Sendable, CustomStringConvertible {
    /// A rate as low as this for so long is no hiccup.
    static let patience = Microseconds.seconds(Int64(2))
    /// As long as this with room before a step is taken back.
    static let caution = Microseconds.seconds(Int64(10))
    /// Every other picture is left out at a tenth of the nominal rate; half of that for each definition below.
    private static let firstFloor = 10
    /// There is room for the step before where the rate is twice what it was given up for.
    private static let room = 2

    let nominal: Int
    /// The definition that was configured.
    let highest: Definition
    /// 0: everything is sent.
    private(set) var steps = 0
    private var lowSince: MonotonicTime?
    private var roomSince: MonotonicTime?
    private var number: UInt64 = 0

    init(nominal: Int, definition: Definition) {
        self.nominal = nominal
        highest = definition
    }

    /// Every other picture is left out.
    var isThinned: Bool { steps > 0 }

    /// What pictures are fitted into.
    var definition: Definition {
        let lower = Definition.allCases.filter { $0 < highest }.sorted(by: >)
        return steps < 2 || lower.isEmpty ? highest : lower[min(steps - 2, lower.count - 1)]
    }

    /// One line for people.
    var description: String {
        switch steps {
        case 0: "the link carries all pictures again"
        case 1: "the link carries little: every other picture is left out"
        default: "the link carries little: every other picture is left out, and they are at most \(definition.box)"
        }
    }

    /// Whether there is a definition below.
    private var canGoDown: Bool { steps == 0 || definition != Definition.allCases.min() }

    /// The rate at which what is sent now is too much.
    private func floor(_ steps: Int) -> Int { max(RateController.least, (nominal / Self.firstFloor) >> steps) }

    /// Looked at as often as the rate is. True when something is to change.
    mutating func update(bitsPerSecond: Int, at now: MonotonicTime) -> Bool {
        let isLow = canGoDown && bitsPerSecond <= floor(steps)
        let hasRoom = steps > 0 && bitsPerSecond >= floor(steps - 1) * Self.room
        lowSince = isLow ? lowSince ?? now : nil
        roomSince = hasRoom ? roomSince ?? now : nil
        if let since = lowSince, now - since >= Self.patience {
            steps += 1
        } else if let since = roomSince, now - since >= Self.caution {
            steps -= 1
        } else {
            return false
        }
        (lowSince, roomSince) = (nil, nil)
        return true
    }

    /// One more picture has come: whether it is sent.
    mutating func takesNext() -> Bool {
        number &+= 1
        return !isThinned || number % 2 == 0
    }
}
