/// Which fields make a frame, where each comes in a buffer of its own.
///
/// By the V4L2 manual both have the same sequence number ("Field Order", V4L2_FIELD_ALTERNATE; struct v4l2_buffer,
/// `sequence`), and the older one comes first. Some drivers count fields instead; two fields of different parity and
/// successive numbers are taken for a frame once that has been seen three times in a row and never the same number twice.
struct FieldPairing {
    enum Action: Hashable, Sendable {
        /// The first field of a frame.
        case begin
        /// The second field of the frame that was begun.
        case complete
        /// The frame that was begun has lost its other field; this is the first of the next.
        case begunIsHalf
        /// The driver does not say which one it is.
        case unknown
    }

    private enum Counting { case undecided, frames, fields }

    private var counting = Counting.undecided
    private var begun: (parity: FieldParity, sequence: UInt32)?
    private var stepsByOne = 0

    /// - Parameter parity: Nil where the buffer does not say.
    mutating func fieldReceived(_ parity: FieldParity?, sequence: UInt32) -> Action {
        guard let parity else {
            begun = nil
            return .unknown
        }
        guard let first = begun else {
            begun = (parity, sequence)
            return .begin
        }
        if isPair(first, (parity, sequence)) {
            begun = nil
            return .complete
        }
        begun = (parity, sequence)
        return .begunIsHalf
    }

    private mutating func isPair(
        _ first: (parity: FieldParity, sequence: UInt32), _ second: (parity: FieldParity, sequence: UInt32)
    ) -> Bool {
        guard first.parity != second.parity else {
            stepsByOne = 0
            return false
        }
        if first.sequence == second.sequence {
            counting = .frames
            return true
        }
        guard second.sequence == first.sequence &+ 1, counting != .frames else {
            stepsByOne = 0
            return false
        }
        stepsByOne += 1
        if stepsByOne >= 3 { counting = .fields }
        return counting == .fields
    }
}
