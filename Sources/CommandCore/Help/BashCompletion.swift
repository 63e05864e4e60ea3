extension Tool {
    /// A script for bash that completes commands, options, words of choices, and file names after options that take
    /// them: `source <(camo-producer --bash-completion)`.
    func bashCompletion() -> String {
        let function = "_" + root.name.map { $0.isLetter || $0.isNumber ? String($0) : "_" }.joined()
        return """
            \(function)() {
                local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= words= i
                for ((i = 1; i < COMP_CWORD; i++)); do
                    case "$command ${COMP_WORDS[i]}" in
            \(descents(root, path: "").joined(separator: "\n"))
                    esac
                done
                case "$command $before" in
            \(values(root, path: "").joined(separator: "\n"))
                esac
                case "$command" in
            \(lists(root, path: "").joined(separator: "\n"))
                esac
                COMPREPLY=($(compgen -W "$words" -- "$word"))
            }
            complete -F \(function) \(root.name)

            """
    }

    private func each(_ command: Command, path: String, _ body: (Command, String) -> [String]) -> [String] {
        body(command, path) + command.commands.flatMap { each($0, path: path + "/" + $0.name, body) }
    }

    /// `"/devices remove") command=/devices/remove ;;`
    private func descents(_ command: Command, path: String) -> [String] {
        each(command, path: path) { command, path in
            command.commands.map { "            \"\(path) \($0.name)\") command=\(path)/\($0.name) ;;" }
        }
    }

    private func values(_ command: Command, path: String) -> [String] {
        each(command, path: path) { command, path in
            (command.options + global.options).compactMap { option in
                guard let value = option.value else { return nil }
                let pattern = "        \"\(path) \(option.spelling)\")"
                if value.isPath { return "\(pattern) COMPREPLY=($(compgen -f -- \"$word\")); return ;;" }
                let choices = value.choices.joined(separator: " ")
                return "\(pattern) COMPREPLY=($(compgen -W \"\(choices)\" -- \"$word\")); return ;;"
            }
        }
    }

    private func lists(_ command: Command, path: String) -> [String] {
        each(command, path: path) { command, path in
            let words = command.commands.map(\.name) + (command.options + global.options).map(\.spelling)
            return ["        \"\(path)\") words=\"\(words.joined(separator: " "))\" ;;"]
        }
    }
}
