/// One option of a command: an ``Option`` with a value, or a ``Flag`` without.
///
/// Names carry no dashes and are unique within a command.
package protocol CommandOption: Sendable {
    var name: String { get }
    var short: Character? { get }
    var summary: String { get }
    /// What the value looks like; nil for an option that takes none.
    var value: ValueDescription? { get }
    /// Reads what was typed; nil when it is refused.
    func read(_ text: String) -> (any Sendable)?
}

extension CommandOption {
    /// `--port`, as people type it.
    package var spelling: String { "--\(name)" }
}

/// An option that is there or not.
package struct Flag: CommandOption {
    package let name: String
    package let short: Character?
    package let summary: String
    package var value: ValueDescription? { nil }

    package init(_ name: String, short: Character? = nil, _ summary: String) {
        self.name = name
        self.short = short
        self.summary = summary
    }

    package func read(_ text: String) -> (any Sendable)? { nil }
}

/// An option with a value. Given twice, the last one counts.
package struct Option<Value: Sendable>: CommandOption {
    package let name: String
    package let short: Character?
    package let summary: String
    private let kind: ValueKind<Value>

    /// - Parameter placeholder: stands for the value in help (`DEV`); the kind's own where none is given.
    package init(
        _ name: String, short: Character? = nil, _ kind: ValueKind<Value>, as placeholder: String? = nil,
        _ summary: String
    ) {
        self.name = name
        self.short = short
        self.summary = summary
        var kind = kind
        if let placeholder { kind.description.placeholder = placeholder }
        self.kind = kind
    }

    package var value: ValueDescription? { kind.description }
    package func read(_ text: String) -> (any Sendable)? { kind.read(text) }
}

/// A titled run of options in `--help`.
package struct OptionGroup: Sendable {
    package let title: String
    package let options: [any CommandOption]

    package init(_ title: String, _ options: [any CommandOption]) {
        self.title = title
        self.options = options
    }
}
