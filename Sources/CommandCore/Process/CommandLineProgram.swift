import Glibc

/// The outermost shell of a program: reads the command line, prints what it asks to print, tells what is wrong.
package enum CommandLineProgram {
    /// Returns what is to be run; ends the process for `--help` and the like (0) and for wrong usage (64).
    package static func parseOrExit<Options>(
        _ tool: Tool, _ read: (ParsedArguments) throws(UsageError) -> Options
    ) -> Options {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do throws(UsageError) {
            switch try tool.parse(arguments).get() {
            case .print(let text):
                do throws(OutputError) {
                    try OutputWriter.standardOutput.write(text)
                } catch  where error != .readerGone {
                    exit(ExitCode.cannotCreate.rawValue)
                } catch {}
                exit(ExitCode.success.rawValue)
            case .run(let parsed): return try read(parsed)
            }
        } catch {
            tell(error, tool, json: arguments.contains("--json"))
            exit(ExitCode.usage.rawValue)
        }
    }

    private static func tell(_ error: UsageError, _ tool: Tool, json: Bool) {
        let command = error.command.isEmpty ? tool.root.name : error.command
        let message = "\(tool.root.name): \(error)\nTry '\(command) --help'.\n"
        try? OutputWriter(STDERR_FILENO).write(message)
        guard json else { return }
        var options = GlobalOptions()
        options.json = true
        EventWriter(program: tool.root.name, options: options).write(.error(error.description, exitCode: .usage))
    }
}
