/// One command of a program. The program itself is the outermost one.
package struct Command: Sendable {
    /// One word; for the outermost command the program's name.
    package let name: String
    /// One line, in the list of commands.
    package let summary: String
    /// What stands after the name in the usage lines, one a line: `[SOURCE] [options]`.
    package let usage: [String]
    /// Paragraphs under the usage lines.
    package let discussion: [String]
    package let operands: [Operand]
    package let groups: [OptionGroup]
    /// Lines that can be typed as they stand, each with what it does.
    package let examples: [(line: String, does: String)]
    package let commands: [Command]

    package init(
        _ name: String, _ summary: String, usage: [String] = [], discussion: [String] = [],
        operands: [Operand] = [], groups: [OptionGroup] = [], examples: [(line: String, does: String)] = [],
        commands: [Command] = []
    ) {
        self.name = name
        self.summary = summary
        self.usage = usage
        self.discussion = discussion
        self.operands = operands
        self.groups = groups
        self.examples = examples
        self.commands = commands
    }

    package var options: [any CommandOption] { groups.flatMap(\.options) }
}

/// How often an operand may stand on the command line. Only the last one of a command may be other than `once`.
package enum OperandCount: Sendable {
    case once
    case optional
    /// Any number, none as well.
    case repeated
}

/// A word that is no option: `CODE`, `FILE`.
package struct Operand: Sendable {
    package let name: String
    package let summary: String
    package let value: ValueDescription
    package let count: OperandCount
    let accepts: @Sendable (String) -> Bool

    package init(_ name: String, _ kind: ValueKind<String>, _ summary: String, count: OperandCount = .once) {
        self.name = name
        self.summary = summary
        self.count = count
        value = kind.description
        accepts = { kind.read($0) != nil }
    }
}

/// A program: its commands, and the options that all of them take.
package struct Tool: Sendable {
    package let root: Command
    package let version: String
    /// The options of every command.
    package let global: OptionGroup
    /// How operands begin that no message may repeat.
    let secretPrefix: String?

    package init(version: String, root: Command, secretPrefix: String? = nil) {
        self.root = root
        self.version = version
        self.secretPrefix = secretPrefix
        global = GlobalOptions.group
    }
}
