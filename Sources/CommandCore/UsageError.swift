/// A command line that cannot be carried out as written.
package struct UsageError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What is wrong, naming the option or operand as it is typed.
    package let description: String
    /// The command whose `--help` tells more: `camo-producer pair`.
    package var command: String

    package init(_ description: String, command: String = "") {
        self.description = description
        self.command = command
    }
}
