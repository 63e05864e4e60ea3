/// Access units that wait for somebody who wants to see what is now: the decoder, a pipe. Files have a ``FileBacklog``.
///
/// An access unit cannot be left out alone, because what follows refers to it. So when too much waits, all of it goes,
/// and nothing is taken until the next keyframe. A value; its owner guards it.
package struct UnitBacklog: UnitInbox {
    /// What is too much.
    package struct Limits: Sendable {
        /// From the arrival of the first unit that waits to that of the last.
        package var age: Microseconds
        /// From this age on a keyframe that arrives makes everything before it superfluous.
        package var ageAtKeyframe: Microseconds
        package var byteCount: Int

        package init(age: Microseconds, ageAtKeyframe: Microseconds, byteCount: Int) {
            self.age = age
            self.ageAtKeyframe = ageAtKeyframe
            self.byteCount = byteCount
        }

        /// For pictures that are to be seen now.
        package static let live = Limits(
            age: .milliseconds(400), ageAtKeyframe: .milliseconds(100), byteCount: 32 << 20)
    }

    private let limits: Limits
    private var units: [PictureUnit] = []
    private var head = 0
    private var byteCount = 0
    private var isWaitingForKeyframe = true
    private var isBehind = false
    /// Units that were left out because the consumer was behind.
    package private(set) var skippedCount = 0
    /// Units that came before the first keyframe, or after a gap on the way.
    package private(set) var waitedCount = 0

    package init(_ limits: Limits) { self.limits = limits }

    package var isEmpty: Bool { head == units.count }

    package mutating func append(_ unit: PictureUnit) -> UnitAdmission {
        if unit.unit.isKeyframe {
            if age(with: unit) > limits.ageAtKeyframe || isOverfull(with: unit) { skipAll() }
            (isWaitingForKeyframe, isBehind) = (false, false)
        } else {
            if unit.received.missedBefore > 0 { isWaitingForKeyframe = true }
            if isWaitingForKeyframe {
                if isBehind { skippedCount += 1 } else { waitedCount += 1 }
                return .needsKeyframe
            }
            if age(with: unit) > limits.age || isOverfull(with: unit) {
                skipAll()
                skippedCount += 1
                isBehind = true
                return .needsKeyframe
            }
        }
        units.append(unit)
        byteCount += unit.unit.bytes.count
        return .kept
    }

    package var first: PictureUnit? { head < units.count ? units[head] : nil }

    package mutating func popFirst() -> PictureUnit? {
        guard head < units.count else { return nil }
        let unit = units[head]
        head += 1
        byteCount -= unit.unit.bytes.count
        // The array is used up from the front and emptied as a whole: in the usual case after each unit.
        if head == units.count {
            units.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64 {
            units.removeSubrange(..<head)
            head = 0
        }
        return unit
    }

    /// The consumer cannot use what waits, nor anything before a keyframe.
    package mutating func reset() {
        units.removeAll()
        head = 0
        byteCount = 0
        (isWaitingForKeyframe, isBehind) = (true, false)
    }

    private mutating func skipAll() {
        skippedCount += units.count - head
        reset()
    }

    private func age(with unit: PictureUnit) -> Microseconds {
        head < units.count ? unit.received.arrival - units[head].received.arrival : .zero
    }

    private func isOverfull(with unit: PictureUnit) -> Bool {
        head < units.count && byteCount + unit.unit.bytes.count > limits.byteCount
    }
}
