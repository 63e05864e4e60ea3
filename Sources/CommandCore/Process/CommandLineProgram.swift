import Glibc

/// The outermost shell of a program: reads the command line, prints what it asks to print, tells what is wrong.
package enum CommandLineProgram {
    /// Returns what is to be run; ends the process for `--help` and the like (0) and for wrong usage (64).
    package static func parseOrExit<Options>(
        _ tool: Tool, _ read: (ParsedArguments) throws(UsageError) -> Options
    ) -> Options {
        occupyStandardDescriptors()
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

    /// A standard descriptor that was closed would be the next file or pipe that is opened. In its place comes what
    /// cannot be used: reading from it, or writing to it, is an error.
    private static func occupyStandardDescriptors() {
        for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDWR)]
        where fcntl(number, F_GETFD) < 0 && errno == EBADF {
            // The lowest free number: this one, since those below it are taken.
            _ = open("/dev/null", mode)
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
