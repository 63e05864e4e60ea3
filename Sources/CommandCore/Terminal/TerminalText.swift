/// Text from outside, made safe to show.
package enum TerminalText {
    /// `text` without what could command a terminal or turn a line around: each such character becomes `�`.
    ///
    /// These are C0 and C1 controls (ECMA-48), DEL, the line and paragraph separators, and the direction marks,
    /// embeddings, overrides and isolates of UAX #9.
    package static func cleaned(_ text: String) -> String {
        // The common case costs one look at the bytes.
        if text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) { return text }
        var scalars = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { scalars.append(isHarmful(scalar) ? "\u{FFFD}" : scalar) }
        return String(scalars)
    }

    static func isHarmful(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0x2028, 0x2029: true
        case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// The beginning of `text` that fits `columns`, as one line. A character counts as one column, or two from
    /// U+1100 on (wide scripts, emoji): rather too short than one line too many.
    package static func clipped(_ text: String, columns: Int) -> String {
        var left = columns
        return String(
            cleaned(text).prefix { character in
                let scalar = character.unicodeScalars.first?.value ?? 0
                // Block elements, of which graphs are made, are narrow everywhere.
                left -= scalar >= 0x1100 && !(0x2580...0x259F).contains(scalar) ? 2 : 1
                return left >= 0
            })
    }
}
