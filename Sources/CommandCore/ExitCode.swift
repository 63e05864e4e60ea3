/// How a command ends. The numbers from 64 on are those of sysexits.h(3head), 130 is what shells report for SIGINT.
package enum ExitCode: Int32, CaseIterable, Sendable {
    /// Done, or ended by SIGTERM with everything finished.
    case success = 0
    /// The command line is wrong.
    case usage = 64
    /// What was read is not what it should be: a file that is not video, a broken pairing code.
    case badData = 65
    /// A file or device that does not exist.
    case noInput = 66
    /// A service, device or peer cannot be reached.
    case unavailable = 69
    /// An output file cannot be made, or its disk is full.
    case cannotCreate = 73
    /// In use by somebody else: try again.
    case busy = 75
    /// The system does not allow it: modes, groups.
    case noPermission = 77
    /// The other end said no.
    case refused = 78
    /// SIGINT.
    case interrupted = 130

    /// One line for `--help`.
    package var summary: String {
        switch self {
        case .success: "success"
        case .usage: "wrong usage"
        case .badData: "bad data"
        case .noInput: "no such input"
        case .unavailable: "unavailable"
        case .cannotCreate: "cannot create a file"
        case .busy: "in use, try again"
        case .noPermission: "no permission"
        case .refused: "refused by the other end"
        case .interrupted: "interrupted"
        }
    }
}
