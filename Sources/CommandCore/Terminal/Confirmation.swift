import Glibc

/// A question that takes a yes.
package enum Confirmation {
    /// Asks on standard error and reads one line from standard input. Blocks its thread.
    ///
    /// Only a `y` or `yes` counts; an end of input, anything else, and input that is no terminal are a no, so that
    /// a script never consents by accident.
    package static func ask(_ question: String) -> Bool {
        guard Terminal.standardInput.isTerminal, Terminal.standardError.isTerminal else { return false }
        return ask(question, input: STDIN_FILENO, output: STDERR_FILENO)
    }

    static func ask(_ question: String, input: Int32, output: Int32) -> Bool {
        do {
            try OutputWriter(output).write(TerminalText.cleaned(question) + " [y/N] ")
        } catch {
            return false
        }
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < longestAnswer {
            let count = read(input, &byte, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1, byte != UInt8(ascii: "\n") else { break }
            line.append(byte)
        }
        return isYes(line)
    }

    static let longestAnswer = 100

    static func isYes(_ line: [UInt8]) -> Bool {
        let answer = String(decoding: line, as: UTF8.self).lowercased().filter { !$0.isWhitespace }
        return answer == "y" || answer == "yes"
    }
}
