// The standard library composes (UAX #15) for its own comparison of strings, without ICU; the only other way to NFC
// on Linux is Foundation, which brings 40 MB of ICU along.
@_spi(_Unicode) internal import Swift

/// Text from elsewhere, made fit for one line of a terminal, a log or a list.
package enum TextLine {
    /// `raw` in NFC on one line, without control characters, without characters that change the direction of the text
    /// around them (Unicode TR #36, 3.2: `gpj.exe` shown as `exe.jpg`), cut at a character; nil when nothing that can
    /// be seen is left.
    package static func cleaned(_ raw: some StringProtocol, maximumByteCount: Int) -> String? {
        var kept = String.UnicodeScalarView()
        var spaceIsDue = false
        // Four times the limit is enough to fill it, and bounds the work that a peer can cause.
        for scalar in raw.unicodeScalars.prefix(4 * maximumByteCount) {
            switch role(of: scalar) {
            case .dropped: continue
            case .space: spaceIsDue = !kept.isEmpty
            case .kept:
                if spaceIsDue { kept.append(" ") }
                spaceIsDue = false
                kept.append(scalar)
            }
        }
        var composed = String.UnicodeScalarView()
        composed.append(contentsOf: String(kept)._nfc)
        let text = cut(String(composed), maximumByteCount)
        return text.unicodeScalars.contains(where: isVisible) ? text : nil
    }

    /// The longest prefix of whole characters within the limit. A prefix of a text in NFC is in NFC.
    private static func cut(_ text: String, _ maximumByteCount: Int) -> String {
        var count = 0
        let characters = text.prefix { character in
            count += character.utf8.count
            return count <= maximumByteCount
        }
        return characters.last == " " ? String(characters.dropLast()) : String(characters)
    }

    private enum Role { case kept, space, dropped }

    private static func role(of scalar: Unicode.Scalar) -> Role {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .spaceSeparator: .space
        case .format:
            switch scalar.value {
            // Joiners belong to names in Persian and Hindi and to emoji; tags spell the flags of Scotland and Wales.
            case 0x200C, 0x200D, 0xE0020...0xE007F: .kept
            default: .dropped
            }
        default: scalar.properties.isNoncharacterCodePoint ? .dropped : .kept
        }
    }

    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        guard !scalar.properties.isDefaultIgnorableCodePoint else { return false }
        return switch scalar.properties.generalCategory {
        case .format, .spaceSeparator, .nonspacingMark, .enclosingMark: false
        default: true
        }
    }
}
