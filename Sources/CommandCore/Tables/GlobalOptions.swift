/// How much a command says on standard error.
package enum Verbosity: Sendable, Comparable {
    /// Errors alone.
    case quiet
    case normal
    /// Also what helps to find out why.
    case verbose
}

/// The options that every command takes.
package struct GlobalOptions: Sendable, Equatable {
    /// Events as JSON lines on standard output instead of sentences on standard error.
    package var json = false
    /// Where identity and paired devices are kept; nil: below `$XDG_STATE_HOME`.
    package var stateDirectory: String?
    package var verbosity = Verbosity.normal

    package init() {}

    package init(_ arguments: ParsedArguments) throws(UsageError) {
        json = arguments[Self.json]
        stateDirectory = arguments[Self.stateDirectory]
        if arguments[Self.quiet], arguments[Self.verbose] {
            throw arguments.error("--quiet and --verbose exclude each other")
        }
        verbosity = arguments[Self.quiet] ? .quiet : arguments[Self.verbose] ? .verbose : .normal
    }

    package static let json = Flag("json", "tell events as JSON, one object a line, on standard output")
    package static let stateDirectory = Option(
        "state-dir", .path, as: "DIR", "keep the identity and the paired devices there")
    package static let verbose = Flag("verbose", short: "v", "say more")
    package static let quiet = Flag("quiet", short: "q", "say nothing but errors")
    package static let help = Flag("help", short: "h", "show this and end")
    package static let version = Flag("version", "show the version and end")
    package static let completion = Flag("bash-completion", "print a completion script for bash and end")

    static let group = OptionGroup(
        "General", [json, stateDirectory, verbose, quiet, help, version, completion])
}
