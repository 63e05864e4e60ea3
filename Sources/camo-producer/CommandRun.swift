import CommandCore
import ProducerKit

/// Why a command ends.
enum Ending: CommandEnding {
    case signal(Int32)
    /// The source came to its end, or failed.
    case sourceEnded(ProducerError?)
    case readerGone
}

/// What every command of the producer has.
struct CommandRun: Sendable {
    let options: ProducerOptions
    private let life: CommandLife<Ending>

    init(_ options: ProducerOptions) {
        self.options = options
        life = CommandLife(program: "camo-producer", options: options.global)
    }

    var events: EventWriter { life.events }
    func end(_ ending: Ending) { life.end(ending) }
    func ending() async -> Ending { await life.ending() }

    /// Tells what went wrong, and how the command ends for it.
    func fail(_ message: String, _ code: ExitCode) -> ExitCode {
        events.write(.error(message, exitCode: code))
        return code
    }

    func fail(_ error: any Error) -> ExitCode {
        if let error = error as? OutputError { return fail(error.description, .cannotCreate) }
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
            case .stateUnusable, .exists, .cannotWrite: .cannotCreate
            case .invalidArgument, .outOfRange: .usage
            default: .unavailable
            }
    }
}
