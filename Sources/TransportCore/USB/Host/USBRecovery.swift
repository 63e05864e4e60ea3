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

    /// How long to wait before each rung, and before giving up: a device that is being pulled out fails at everything
    /// for a moment before it is gone.
    private static let pauses: [Microseconds] = [
        .milliseconds(100), .milliseconds(300), .seconds(Int64(1)), .seconds(Int64(2)),
    ]

    private var rung = 0

    /// - Returns: What is to be done, and after which time.
    mutating func failed() -> (step: Step, pause: Microseconds) {
        guard rung < USBHostPipe.Repair.allCases.count else { return (.giveUp, Self.pauses[rung]) }
        defer { rung += 1 }
        return (.repair(USBHostPipe.Repair.allCases[rung]), Self.pauses[rung])
    }

    /// A link is open.
    mutating func succeeded() { rung = 0 }
}
