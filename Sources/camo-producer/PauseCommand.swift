import CommandCore
import ProducerKit

/// `camo-producer pause` and `resume`.
struct PauseCommand {
    private let run: CommandRun
    init(_ run: CommandRun) { self.run = run }

    func perform(_ isPaused: Bool) -> ExitCode {
        do throws(ProducerError) {
            try ProducerController.setPaused(isPaused, in: run.options.global.stateDirectory) { [run] line in
                run.events.write(Event("notice", sentence: line, ["text": .string(line)]))
            }
        } catch {
            return run.fail(error)
        }
        run.events.write(.pause(isPaused))
        return .success
    }
}

extension Event {
    static func pause(_ isPaused: Bool) -> Event {
        isPaused
            ? Event(
                "paused",
                sentence: "Paused: camera and microphone are closed, studios see a placeholder; it ends with "
                    + "'camo-producer resume'")
            : Event("resumed", sentence: "Studios see and hear again what they watch")
    }
}
