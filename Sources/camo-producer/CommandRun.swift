import CommandCore
import Dispatch
import Glibc
import ProducerKit

/// Why a command ends.
enum Ending: Sendable {
    case signal(Int32)
    /// The source came to its end, or failed.
    case sourceEnded(ProducerError?)
    /// Whoever read the events has gone.
    case readerGone
}

/// What every command has: where it tells what happens, and what may end it.
final class CommandRun: Sendable {
    /// A command that was told to end is gone after this, whatever hangs.
    private static let patience = DispatchTimeInterval.milliseconds(1_900)

    let options: ProducerOptions
    let events: EventWriter
    private let first = FirstValue<Ending>()
    private let signals: SignalWatcher

    init(_ options: ProducerOptions) {
        self.options = options
        let first = first
        events = EventWriter(program: "camo-producer", options: options.global) { first.set(.readerGone) }
        signals = SignalWatcher { number in
            first.set(.signal(number))
            DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) {
                _exit(SignalWatcher.exitCode(for: number).rawValue)
            }
        }
    }

    func end(_ ending: Ending) { first.set(ending) }

    /// The first thing that ends the command.
    func ending() async -> Ending {
        await first.wait() ?? .readerGone
    }

    /// Tells what went wrong, and how the command ends for it.
    func fail(_ message: String, _ code: ExitCode) -> ExitCode {
        events.write(.error(message, exitCode: code))
        return code
    }

    func fail(_ error: any Error) -> ExitCode {
        let error = error as? ProducerError ?? ProducerError(.unavailable, "\(error)")
        return fail(error.message, ExitCode(error))
    }

    /// What all commands set alike.
    func configuration(name: String?) -> ProducerConfiguration {
        var configuration = ProducerConfiguration()
        configuration.name = name
        configuration.stateDirectory = options.global.stateDirectory
        configuration.product = "camo-producer \(ProducerTable.tool.version)"
        return configuration
    }
}

extension ExitCode {
    init(_ error: ProducerError) {
        self =
            switch error.code {
            case .notFound: .noInput
            case .badData: .badData
            case .busy, .portInUse: .busy
            case .noPermission: .noPermission
            case .stateUnusable: .cannotCreate
            case .invalidArgument: .usage
            default: .unavailable
            }
    }
}
