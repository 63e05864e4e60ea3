extension Tool {
    /// What a command line asks for.
    package enum Request: Sendable {
        /// Carry out the command at `ParsedArguments.path`.
        case run(ParsedArguments)
        /// Print this on standard output and end with 0: help, version, completion.
        case print(String)
    }

    /// Reads a command line without the program's own name. Pure: prints nothing, opens nothing.
    ///
    /// Options may stand anywhere, as `--x value`, `--x=value`, `-x value` or `-xvalue`; `--` ends them; `-` alone is
    /// an operand or a value.
    package func parse(_ arguments: [String]) -> Result<Request, UsageError> {
        var parser = ArgumentParser(tool: self, rest: arguments[...])
        do throws(UsageError) {
            return .success(try parser.parse())
        } catch {
            var error = error
            if error.command.isEmpty { error.command = parser.parsed.path.joined(separator: " ") }
            return .failure(error)
        }
    }
}

struct ArgumentParser {
    private let tool: Tool
    private var rest: ArraySlice<String>
    private var command: Command
    private(set) var parsed: ParsedArguments

    init(tool: Tool, rest: ArraySlice<String>) {
        self.tool = tool
        self.rest = rest
        command = tool.root
        parsed = ParsedArguments(path: [tool.root.name])
    }

    private var known: [any CommandOption] { command.options + tool.global.options }

    mutating func parse() throws(UsageError) -> Tool.Request {
        while let word = rest.popFirst() {
            if word == "--" {
                parsed.operands += rest
                rest = []
            } else if word.hasPrefix("--") {
                try readLong(word.dropFirst(2))
            } else if word.hasPrefix("-"), word != "-" {
                try readShort(word.dropFirst())
            } else {
                try readWord(word)
            }
        }
        if parsed[GlobalOptions.version] { return .print("\(tool.root.name) \(tool.version)\n") }
        if parsed[GlobalOptions.help] { return .print(tool.help(for: command, path: parsed.path)) }
        if parsed[GlobalOptions.completion] { return .print(tool.bashCompletion()) }
        try checkOperands()
        return .run(parsed)
    }

    private mutating func readLong(_ text: Substring) throws(UsageError) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard let option = known.first(where: { $0.name == name }) else { throw unknownOption(name) }
        try take(option, as: option.spelling, attached: parts.count > 1 ? String(parts[1]) : nil)
    }

    private mutating func readShort(_ text: Substring) throws(UsageError) {
        var letters = text
        while let letter = letters.popFirst() {
            guard let option = known.first(where: { $0.short == letter }) else {
                throw UsageError("unknown option -\(TerminalText.cleaned(String(letter)))")
            }
            let attached = option.value != nil && !letters.isEmpty ? String(letters) : nil
            try take(option, as: "-\(letter)", attached: attached)
            if attached != nil { return }
        }
    }

    private mutating func take(_ option: any CommandOption, as spelling: String, attached: String?) throws(UsageError) {
        guard let value = option.value else {
            if attached != nil { throw UsageError("\(spelling) takes no value") }
            parsed.values[option.name] = true
            return
        }
        guard let text = attached ?? nextValue() else {
            throw UsageError("\(spelling) needs a value: \(value.expectation)")
        }
        guard let read = option.read(text) else {
            throw UsageError("\(spelling): \(quoted(text)) is not \(value.expectation)")
        }
        parsed.values[option.name] = read
    }

    /// The next word as a value. What looks like an option is none, so that a forgotten value is told as such;
    /// `-1` and `-` are values, and `--name=--x` says the odd ones.
    private mutating func nextValue() -> String? {
        guard let word = rest.first else { return nil }
        let isOption = word.hasPrefix("-") && word != "-" && word.dropFirst().first?.isNumber != true
        return isOption ? nil : rest.popFirst()
    }

    private mutating func readWord(_ word: String) throws(UsageError) {
        if parsed.operands.isEmpty, let next = command.commands.first(where: { $0.name == word }) {
            command = next
            parsed.path.append(word)
            // Options that stood before the command's name must be its own, too.
            if let stray = parsed.values.keys.sorted().first(where: { name in !known.contains { $0.name == name } }) {
                throw UsageError("--\(stray) does not go with '\(word)'")
            }
        } else if !command.commands.isEmpty, command.operands.isEmpty {
            throw UsageError(
                "unknown command \(quoted(word))" + Self.hint(word, among: command.commands.map(\.name), prefix: "")
            )
        } else {
            parsed.operands.append(word)
        }
    }

    private func checkOperands() throws(UsageError) {
        let operands = command.operands
        let given = parsed.operands
        if let missing = operands.dropFirst(given.count).first, missing.count == .once {
            throw UsageError("\(missing.name) is missing: \(missing.summary)")
        }
        let isOpenEnded = operands.last?.count == .repeated
        if given.count > operands.count, !isOpenEnded {
            throw UsageError("unexpected word \(quoted(given[operands.count]))")
        }
        for (index, text) in given.enumerated() {
            guard let operand = index < operands.count ? operands[index] : operands.last else { continue }
            guard operand.accepts(text) else {
                throw UsageError("\(operand.name): \(quoted(text)) is not \(operand.value.expectation)")
            }
        }
    }

    private func unknownOption(_ name: String) -> UsageError {
        if let owner = tool.root.path(toOption: name) {
            return UsageError("--\(name) does not go with '\(parsed.path.joined(separator: " "))', but with '\(owner)'")
        }
        return UsageError(
            "unknown option --\(TerminalText.cleaned(name))" + Self.hint(name, among: known.map(\.name), prefix: "--"))
    }

    private static func hint(_ word: String, among words: [String], prefix: String) -> String {
        Suggestion.nearest(to: word, among: words).map { " (did you mean \(prefix)\($0)?)" } ?? ""
    }

    /// What was typed, safe to print and not endless.
    private func quoted(_ text: String) -> String {
        // An address may hold a password or a key.
        if let end = text.firstRange(of: "://") { return quoted(String(text[..<end.lowerBound])) + " address" }
        if let prefix = tool.secretPrefix, text.contains(prefix) { return "'\(prefix)…'" }
        return "'" + TerminalText.cleaned(String(text.prefix(80))) + "'"
    }
}

extension Command {
    /// The first command, depth first, that has the option: `camo-studio pair`.
    fileprivate func path(toOption name: String) -> String? {
        if options.contains(where: { $0.name == name }) { return self.name }
        for command in commands {
            if let path = command.path(toOption: name) { return "\(self.name) \(path)" }
        }
        return nil
    }
}
