import CommandCore
import StudioKit

/// What the commands share that give out what comes.
extension CommandRun {
    /// Pictures on a terminal are of use to nobody: false, and said, where that was asked for.
    func mayGiveOut(_ options: WatchOptions) -> Bool {
        guard options.standardOutput != nil, Terminal.standardOutput.isTerminal else { return true }
        events.write(.error("--stdout is for a pipe or a file, not for a terminal", exitCode: .usage))
        return false
    }

    /// How a command ends that waited for an answer. Why there was none is more use than that there was none.
    func exitCode(for early: EndedEarly, _ controller: StudioController) -> ExitCode {
        if case .failed(let error) = early.ending, error.code == .timedOut, case .waiting(let why) = controller.state {
            return fail(StudioError(.unavailable, "no answer: \(why.reason)"))
        }
        return exitCode(for: early.ending)
    }

    /// Stops all of it.
    ///
    /// - Parameters:
    ///   - controller: Has what it records finished already.
    ///   - outputs: What it gave out to.
    ///   - reporter: Knows whether the recording failed; everything else went on then, and the exit code tells of it.
    ///   - limit: How long outputs have for what came.
    ///   - code: How the command ends; asked for once all else is told.
    func close(
        _ controller: StudioController, _ outputs: WatchOutputs, _ reporter: StudioReporter, within limit: Microseconds,
        _ code: () -> ExitCode
    ) async -> ExitCode {
        await controller.stop()
        await outputs.finish(within: limit)
        await controller.delegateCallsAreDone()
        let code = code()
        guard let error = reporter.recordingError, code == .success || code == .interrupted else { return code }
        return ExitCode(error)
    }
}
