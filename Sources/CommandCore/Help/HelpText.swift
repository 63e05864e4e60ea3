extension Tool {
    /// `--help` of one command, within 80 columns.
    func help(for command: Command, path: [String]) -> String {
        let name = path.joined(separator: " ")
        var text = TextLayout()
        let usage = command.usage.isEmpty ? [Self.usage(of: command)] : command.usage
        for (index, line) in usage.enumerated() {
            text.hanging((index == 0 ? "Usage: " : "       ") + name + (line.isEmpty ? "" : " "), line)
        }
        for paragraph in [command.summary] + command.discussion {
            text.blank()
            text.paragraph(paragraph)
        }
        if !command.operands.isEmpty {
            text.heading("Operands")
            text.table(command.operands.map { ($0.name, $0.summary) })
        }
        if !command.commands.isEmpty {
            text.heading("Commands")
            text.table(command.commands.map { ($0.name, $0.summary) })
            text.paragraph("'\(name) COMMAND --help' tells about one of them.", indent: 2)
        }
        for group in command.groups + [global] where !group.options.isEmpty {
            text.heading(group.title)
            text.table(group.options.map { (Self.spelling($0), Self.summary($0)) })
        }
        if !command.examples.isEmpty {
            text.heading("Examples")
            for example in command.examples {
                text.verbatim("  " + example.line)
                text.paragraph(example.does, indent: 6)
            }
        }
        if path.count == 1 {
            text.heading("Exit status")
            text.paragraph(
                ExitCode.allCases.map { "\($0.rawValue) \($0.summary)" }.joined(separator: ", ") + ".", indent: 2)
        }
        return text.text
    }

    private static func usage(of command: Command) -> String {
        let operands = command.operands.map { operand in
            switch operand.count {
            case .once: operand.name
            case .optional: "[\(operand.name)]"
            case .repeated: "[\(operand.name) …]"
            }
        }
        return (operands + ["[options]"]).joined(separator: " ")
    }

    private static func spelling(_ option: any CommandOption) -> String {
        let short = option.short.map { "-\($0), " } ?? ""
        guard let value = option.value else { return short + option.spelling }
        return short + option.spelling + " " + (listsChoices(value) ? "WORD" : value.placeholder)
    }

    private static func summary(_ option: any CommandOption) -> String {
        guard let value = option.value, listsChoices(value) else { return option.summary }
        return option.summary + ": " + value.choices.joined(separator: ", ")
    }

    /// Few short words stand for the value (`90|180|270`); a long list goes into the description.
    private static func listsChoices(_ value: ValueDescription) -> Bool {
        !value.choices.isEmpty
            && (value.choices.joined(separator: "|") != value.placeholder || value.placeholder.count > 12)
    }
}
