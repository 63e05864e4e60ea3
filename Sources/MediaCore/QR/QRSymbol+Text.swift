extension QRSymbol {
    /// How the colours of a text drawing come about.
    package enum TextStyle: Sendable {
        /// Black on white by escape sequences (ECMA-48, SGR), whatever the terminal's theme is.
        case terminal
        /// Characters alone, for a file: light modules are drawn, dark ones left out, which is right on a dark
        /// background and inverted, still readable by most scanners, on a light one.
        case plain
    }

    /// Two rows of modules in each line of text: a character cell is about twice as high as wide.
    ///
    /// Version 6, which holds 134 bytes at level L, is 41 modules wide: 25 lines with the quiet zone.
    package func text(_ style: TextStyle) -> String {
        var lines = ""
        for y in stride(from: range.lowerBound, to: range.upperBound, by: 2) {
            if style == .terminal { lines += "\u{1B}[38;5;16;48;5;231m" }
            for x in range {
                lines += Self.cell(upper: isDark(x: x, y: y), lower: isDark(x: x, y: y + 1), style)
            }
            if style == .terminal { lines += "\u{1B}[0m" }
            lines += "\n"
        }
        return lines
    }

    private static func cell(upper: Bool, lower: Bool, _ style: TextStyle) -> String {
        // What is drawn in the foreground colour: dark modules on white paper, light ones on a dark screen.
        let (upper, lower) = style == .terminal ? (upper, lower) : (!upper, !lower)
        switch (upper, lower) {
        case (true, true): return "█"
        case (true, false): return "▀"
        case (false, true): return "▄"
        case (false, false): return " "
        }
    }
}
