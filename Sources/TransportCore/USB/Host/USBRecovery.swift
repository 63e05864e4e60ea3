internal import CamoTypes

/// What a host does about a device that doesn't answer, or whose endpoints fail: one rung of the ladder after the
/// other, until a link opens.
struct USBRecovery: Sendable {
    enum Step: Hashable, Sendable {
        case repair(USBHostPipe.Repair)
        /// Nothing helps: wait until it is plugged in again.
        case giveUp
    }

    /// How long the other end may take to answer on each rung.
    static let patience = Microseconds.seconds(3)
    /// How often it is told again meanwhile that a link is to begin.
    static let reminderInterval = Microseconds.milliseconds(200)

    private var rung = 0

    mutating func failed() -> Step {
        guard rung < USBHostPipe.Repair.allCases.count else { return .giveUp }
        defer { rung += 1 }
        return .repair(USBHostPipe.Repair.allCases[rung])
    }

    /// A link is open.
    mutating func succeeded() { rung = 0 }
}
