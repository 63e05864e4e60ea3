import CommandCore

/// What a bench found, for people and for programs.
struct Report {
    let markdown: String
    let json: JSONValue
}

/// A table in Markdown, its columns lined up.
struct MarkdownTable {
    var header: [String]
    var rows: [[String]] = []

    var text: String {
        let widths = header.indices.map { column in
            ([header] + rows).map { column < $0.count ? $0[column].count : 0 }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            "|"
                + cells.enumerated().map { " " + $1 + String(repeating: " ", count: widths[$0] - $1.count) + " |" }
                .joined() + "\n"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) + "|" }.joined() + "\n"
        return line(header) + rule + rows.map(line).joined()
    }
}
