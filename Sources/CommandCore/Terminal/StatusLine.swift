import CamoTypes

/// The last line of a terminal, or the last few, written over again and again. A value: it says what to write, its owner
/// writes it.
struct StatusLine {
    /// Ten times a second at most: enough to look live, cheap over a slow line.
    static let interval = Microseconds.milliseconds(100)

    /// As they stand in the terminal; nil while nothing does.
    private var shown: [String]?
    private var lastWritten: MonotonicTime?

    /// What shows `text` in place of what stands there; nil when it is the same or comes too soon after the last.
    ///
    /// - Parameters:
    ///   - text: One line, or several with line feeds between them.
    ///   - columns: Of the terminal.
    ///   - rows: Of the terminal: lines for which there is no room are left out at the end.
    ///   - now: The time.
    mutating func show(_ text: String, columns: Int, rows: Int = .max, now: MonotonicTime) -> String? {
        // The last column stays free: some terminals wrap there at once. So does a row, for what is said above.
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).prefix(max(1, rows - 1))
            .map { TerminalText.clipped(String($0), columns: columns - 1) }
        if lines == shown { return nil }
        if let lastWritten, shown != nil, now - lastWritten < Self.interval { return nil }
        defer { (shown, lastWritten) = (lines, now) }
        return erase + lines.joined(separator: "\n")
    }

    /// `message`, a whole line, above the status line.
    func above(_ message: String) -> String {
        guard let shown else { return message }
        return erase + message + shown.joined(separator: "\n")
    }

    /// What takes the line away, so that the shell's prompt begins at the left.
    mutating func end() -> String {
        defer { shown = nil }
        return shown == nil ? "" : erase
    }

    /// To the beginning of the first line, and all from there on away (ECMA-48: CUU, EL, ED).
    private var erase: String {
        let count = shown?.count ?? 1
        return count == 1 ? "\r\u{1B}[K" : "\r\u{1B}[\(count - 1)A\u{1B}[J"
    }
}
