/// Access units that wait for a disk that stalls now and then, or is too slow for good: what has come is kept, and while
/// too much waits, what comes is left out.
///
/// Each gap ends with the first keyframe that finds room: a disk that is a fifth too slow loses half a second now and
/// then, not all that waits. A value; its owner guards it.
package struct FileBacklog: UnitInbox {
    /// Of recording, by the times of arrival. At 6 Mb/s these are 8 MB.
    package static let limit = Microseconds.seconds(Int64(10))
    /// As much at 50 Mb/s.
    package static let byteLimit = 64 << 20
    /// The part of it that is free again when a keyframe is taken: with less, each gap would be followed by few pictures
    /// and the next gap.
    package static let room = 20

    private var units: [(unit: PictureUnit, step: Microseconds)] = []
    private var head = 0
    private var byteCount = 0
    /// What waits takes so long to watch. Gaps are not counted: they are no work.
    private var duration = Microseconds.zero
    private var lastArrival: MonotonicTime?
    private var isWaitingForKeyframe = true
    private var isBehind = false
    /// Units that were left out because too many waited.
    package private(set) var skippedCount = 0
    /// Runs of such units.
    package private(set) var gapCount = 0

    package init() {}

    package var isEmpty: Bool { head == units.count }
    package var first: PictureUnit? { isEmpty ? nil : units[head].unit }

    package mutating func append(_ unit: PictureUnit) -> UnitAdmission {
        if isBehind {
            // One unit alone is taken however large it is: the wire bounds it.
            let hasRoom = isEmpty || isRoomy
            guard hasRoom, unit.unit.isKeyframe else {
                skippedCount += 1
                return hasRoom ? .needsKeyframe : .leftOut
            }
        } else if !unit.unit.isKeyframe, isWaitingForKeyframe || unit.received.missedBefore > 0 {
            isWaitingForKeyframe = true
            return .needsKeyframe
        } else if isFull(with: unit) {
            isBehind = true
            gapCount += 1
            skippedCount += 1
            // At once: there may be room by the time it comes.
            return .needsKeyframe
        }
        keep(unit, isContinuation: !isBehind)
        (isWaitingForKeyframe, isBehind) = (false, false)
        return .kept
    }

    package mutating func popFirst() -> PictureUnit? {
        guard !isEmpty else { return nil }
        let (unit, step) = units[head]
        head += 1
        byteCount -= unit.unit.bytes.count
        duration = Microseconds(duration.count - step.count)
        // The array is used up from the front and emptied as a whole: in the usual case after each unit.
        if isEmpty {
            units.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 64 {
            units.removeSubrange(..<head)
            head = 0
        }
        return unit
    }

    /// Nothing of what waits will be taken any more: it counts as left out.
    package mutating func giveUp() {
        guard !isEmpty else { return }
        skippedCount += units.count - head
        if !isBehind { gapCount += 1 }
        units = []
        (head, byteCount, duration) = (0, 0, .zero)
    }

    private mutating func keep(_ unit: PictureUnit, isContinuation: Bool) {
        let arrival = unit.received.arrival
        var step = Microseconds.zero
        if isContinuation, !isEmpty, let lastArrival, arrival > lastArrival { step = arrival - lastArrival }
        units.append((unit, step))
        lastArrival = arrival
        byteCount += unit.unit.bytes.count
        duration = Microseconds(duration.count + step.count)
    }

    private func isFull(with unit: PictureUnit) -> Bool {
        !isEmpty && (duration >= Self.limit || byteCount + unit.unit.bytes.count > Self.byteLimit)
    }

    private var isRoomy: Bool {
        duration.count <= Self.limit.count / Int64(Self.room) * Int64(Self.room - 1)
            && byteCount <= Self.byteLimit / Self.room * (Self.room - 1)
    }
}
