import CamoTypes

/// The last line of a terminal, written over again and again. A value: it says what to write, its owner writes it.
struct StatusLine {
    /// Ten times a second at most: enough to look live, cheap over a slow line.
    static let interval = Microseconds.milliseconds(100)

    /// Carriage return and "erase to the end of the line" (ECMA-48, EL).
    private static let erase = "\r\u{1B}[K"

    private var shown: String?
    private var lastWritten: MonotonicTime?

    /// What shows `text` in place of what stands there; nil when it is the same or comes too soon after the last.
    mutating func show(_ text: String, columns: Int, now: MonotonicTime) -> String? {
        // The last column stays free: some terminals wrap there at once.
        let line = TerminalText.clipped(text, columns: columns - 1)
        if line == shown { return nil }
        if let lastWritten, shown != nil, now - lastWritten < Self.interval { return nil }
        shown = line
        lastWritten = now
        return Self.erase + line
    }

    /// `message`, a whole line, above the status line.
    func above(_ message: String) -> String {
        guard let shown else { return message }
        return Self.erase + message + shown
    }

    /// What takes the line away, so that the shell's prompt begins at the left.
    mutating func end() -> String {
        defer { shown = nil }
        return shown == nil ? "" : Self.erase
    }
}
