import CommandCore
import Dispatch
import Glibc
import MediaCore
import StudioKit

/// Why a command ends before its work is done, or because there is no more to do.
enum Ending: Sendable {
    case signal(Int32)
    /// Whoever read standard output has gone: nobody is interested any more.
    case readerGone
    /// The producer's source came to its end.
    case sourceEnded
    case failed(StudioError)
}

/// What every command has: where it tells what happens, and what may end it.
final class CommandRun: Sendable {
    /// A command that was told to end is gone after this, whatever hangs.
    private static let patience = DispatchTimeInterval.milliseconds(1_900)

    let options: StudioOptions
    let events: EventWriter
    /// What ends the command; the first counts.
    private let first = FirstValue<Ending>()
    private let signals: SignalWatcher

    init(_ options: StudioOptions) {
        self.options = options
        let first = first
        events = EventWriter(
            program: "camo-studio", options: options.global, isOutputTaken: options.action.takesStandardOutput
        ) { first.set(.readerGone) }
        if options.global.verbosity == .verbose {
            MediaLog.send { [events] line in
                events.write(Event("mediaLog", level: .detail, sentence: line, ["text": .string(line)]))
            }
        }
        signals = SignalWatcher { [events] number in
            first.set(.signal(number))
            DispatchQueue(label: "last words").asyncAfter(deadline: .now() + Self.patience) {
                events.write(.error("something did not end in time and was left behind"))
            }
            // On a queue of its own: standard error may be what hangs.
            DispatchQueue(label: "end").asyncAfter(deadline: .now() + Self.patience + .milliseconds(50)) {
                _exit(SignalWatcher.exitCode(for: number).rawValue)
            }
        }
    }

    func end(_ ending: Ending) { first.set(ending) }

    /// Waits for something that ends the command.
    func ending() async -> Ending {
        await first.wait() ?? .readerGone
    }

    /// Waits for `work`, or for something that ends the command before.
    func race<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) async -> Result<R, EndedEarly> {
        await withTaskGroup(of: Result<R, EndedEarly>.self) { group in
            group.addTask {
                do {
                    return .success(try await work())
                } catch let error as StudioError {
                    return .failure(EndedEarly(.failed(error)))
                } catch {
                    return .failure(EndedEarly(.failed(StudioError(.system, "\(error)"))))
                }
            }
            group.addTask { [self] in .failure(EndedEarly(await ending())) }
            defer { group.cancelAll() }
            return await group.next() ?? .failure(EndedEarly(.readerGone))
        }
    }

    struct EndedEarly: Error {
        let ending: Ending
        init(_ ending: Ending) { self.ending = ending }
    }

    /// Tells what went wrong, and how the command ends for it.
    func fail(_ error: StudioError) -> ExitCode {
        let code = ExitCode(error)
        events.write(.error(error.description, exitCode: code))
        return code
    }

    func fail(_ error: any Error) -> ExitCode {
        fail(error as? StudioError ?? StudioError(.system, "\(error)"))
    }

    /// How a command ends that had nothing more to do when `ending` came.
    func exitCode(for ending: Ending) -> ExitCode {
        switch ending {
        case .signal(let number): SignalWatcher.exitCode(for: number)
        case .readerGone, .sourceEnded: .success
        case .failed(let error): fail(error)
        }
    }

    /// A controller as the command line wants it.
    func controller(name: String?, definition: Definition? = nil) -> StudioController {
        StudioController(
            configuration: StudioConfiguration(
                name: name, stateDirectory: options.global.stateDirectory, definition: definition,
                product: "camo-studio \(StudioTable.tool.version)"))
    }
}

extension StudioOptions.Action {
    var takesStandardOutput: Bool {
        switch self {
        case .watch(let watch): watch.standardOutput != nil
        case .pair(let pair): pair.thenWatch?.standardOutput != nil
        default: false
        }
    }
}

extension ExitCode {
    init(_ error: StudioError) {
        self =
            switch error.code {
            case .badData: .badData
            case .unknownDevice: .noInput
            case .cannotWrite, .diskFull: .cannotCreate
            case .busy: .busy
            case .noPermission: .noPermission
            case .refused: .refused
            case .cancelled: .interrupted
            default: .unavailable
            }
    }
}
