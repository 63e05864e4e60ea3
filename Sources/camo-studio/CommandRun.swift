import CommandCore
import MediaCore
import StudioKit

/// Why a command ends before its work is done, or because there is no more to do.
enum Ending: CommandEnding {
    case signal(Int32)
    case readerGone
    /// The producer's source came to its end.
    case sourceEnded
    case failed(StudioError)
    /// What went wrong has been told.
    case told(ExitCode)
}

/// What every command of the studio has.
struct CommandRun: Sendable {
    let options: StudioOptions
    private let life: CommandLife<Ending>

    init(_ options: StudioOptions) {
        self.options = options
        life = CommandLife(
            program: "camo-studio", options: options.global, isOutputTaken: options.action.takesStandardOutput)
        if options.global.verbosity == .verbose {
            MediaLog.send { [events = life.events] line in
                events.write(Event("mediaLog", level: .detail, sentence: line, ["text": .string(line)]))
            }
        }
    }

    var events: EventWriter { life.events }
    func end(_ ending: Ending) { life.end(ending) }
    func ending() async -> Ending { await life.ending() }

    /// Waits for `work`, or for something that ends the command before.
    func race<R: Sendable>(_ work: @escaping @Sendable () async throws -> R) async -> Result<R, EndedEarly> {
        await withTaskGroup(of: Result<R, EndedEarly>.self) { group in
            group.addTask {
                do {
                    return .success(try await work())
                } catch let error as StudioError {
                    return .failure(EndedEarly(.failed(error)))
                } catch let error as UsageError {
                    events.write(.error(error.description, exitCode: .usage))
                    return .failure(EndedEarly(.told(.usage)))
                } catch {
                    return .failure(EndedEarly(.failed(StudioError(.system, "\(error)"))))
                }
            }
            group.addTask { .failure(EndedEarly(await ending())) }
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
        if let error = error as? OutputError { return fail(StudioError(.cannotWrite, error.description)) }
        return fail(error as? StudioError ?? StudioError(.system, "\(error)"))
    }

    /// How a command ends that had nothing more to do when `ending` came.
    func exitCode(for ending: Ending) -> ExitCode {
        switch ending {
        case .signal(let number): SignalWatcher.exitCode(for: number)
        case .readerGone, .sourceEnded: .success
        case .failed(let error): fail(error)
        case .told(let code): code
        }
    }

    /// A controller as the command line wants it.
    ///
    /// - Parameters:
    ///   - takesMedia: False: it is only asked, or told, something.
    ///   - usb: Said by name, it is for producers that aren't paired yet, too.
    func controller(
        name: String?, definition: Definition? = nil, takesMedia: Bool = true, usb: USBRole? = nil,
        wantsMotion: Bool = false
    ) -> StudioController {
        var configuration = StudioConfiguration(
            name: name, stateDirectory: options.global.stateDirectory, definition: definition,
            product: "camo-studio \(StudioTable.tool.version)")
        configuration.takesMedia = takesMedia
        configuration.wantsMotion = wantsMotion
        configuration.usb = usb ?? .auto
        configuration.pairsOverCable = usb != nil && usb != .off
        return StudioController(configuration: configuration)
    }
}

extension StudioOptions.Action {
    var takesStandardOutput: Bool {
        switch self {
        case .watch(let watch): watch.standardOutput != nil
        case .play(let play): play.outputs.standardOutput != nil
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
            case .unknownDevice, .notFound: .noInput
            case .outOfRange: .usage
            case .cannotWrite, .diskFull: .cannotCreate
            case .busy: .busy
            case .noPermission: .noPermission
            case .refused: .refused
            case .cancelled: .interrupted
            default: .unavailable
            }
    }
}
