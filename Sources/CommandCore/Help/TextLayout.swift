/// Plain text in 80 columns: paragraphs, headings, tables of two columns.
struct TextLayout {
    /// Where the second column of a table begins.
    private static let column = 26
    private static let width = 80

    private(set) var text = ""

    mutating func blank() { text += "\n" }

    mutating func verbatim(_ line: String) { text += line + "\n" }

    mutating func heading(_ title: String) { text += "\n\(title):\n" }

    mutating func paragraph(_ words: String, indent: Int = 0) {
        let margin = String(repeating: " ", count: indent)
        for line in Self.wrapped(words, to: Self.width - indent) { text += margin + line + "\n" }
    }

    /// `words` after `lead`; further lines stand under where the first began.
    mutating func hanging(_ lead: String, _ words: String) {
        let lines = Self.wrapped(words, to: max(20, Self.width - lead.count))
        text += lead + (lines.first ?? "") + "\n"
        for line in lines.dropFirst() { text += String(repeating: " ", count: lead.count) + line + "\n" }
    }

    mutating func table(_ rows: [(left: String, right: String)]) {
        for row in rows {
            var lead = "  " + row.left
            if lead.count > Self.column - 2 {
                text += lead + "\n"
                lead = ""
            }
            hanging(lead + String(repeating: " ", count: Self.column - lead.count), row.right)
        }
    }

    static func wrapped(_ words: String, to width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in words.split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " " + word
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
