import Foundation
import Testing

/// `docs/features.md` names nothing that is not there: members in the libraries, words of the commands, suites of tests.
@Suite struct FeatureListTests {
    private struct Row {
        var feature, library, command, test: String
    }

    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    private func rows() throws -> [Row] {
        try String(contentsOf: Self.root.appendingPathComponent("docs/features.md"), encoding: .utf8)
            .split(separator: "\n").filter {
                $0.hasPrefix("| ") && !$0.hasPrefix("| there |") && !$0.hasPrefix("| what |")
            }
            .map { line in
                let cells = line.dropFirst().dropLast().split(separator: "|", omittingEmptySubsequences: false)
                try #require(cells.count == 4, "\(line)")
                let texts = cells.map { $0.trimmingCharacters(in: .whitespaces) }
                return Row(feature: texts[0], library: texts[1], command: texts[2], test: texts[3])
            }
    }

    /// What stands between backquotes.
    private func quoted(_ text: String) -> [String] {
        text.split(separator: "`", omittingEmptySubsequences: false).enumerated().filter { $0.offset % 2 == 1 }
            .map { String($0.element) }
    }

    /// All Swift below some folders, as one text.
    private func source(_ folders: [String]) throws -> String {
        var text = ""
        for folder in folders {
            let url = Self.root.appendingPathComponent(folder)
            for name in FileManager.default.enumerator(atPath: url.path)?.compactMap({ $0 as? String }) ?? []
            where name.hasSuffix(".swift") {
                text += try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)
            }
        }
        return text
    }

    @Test func `whatever is listed has a test, and what has none is not there yet`() throws {
        let suites = try source(["Tests"])
        let rows = try rows()
        #expect(rows.count > 30)
        for row in rows {
            if row.test == "not yet" {
                #expect(row.library.isEmpty && row.command.isEmpty, "\(row.feature)")
            } else {
                #expect(!quoted(row.test).isEmpty, "\(row.feature)")
            }
            for suite in quoted(row.test) { #expect(suites.contains("struct \(suite) "), "\(suite)") }
        }
    }

    @Test func `the names of the libraries are there`() throws {
        let words = Set(
            try source(["Sources/ProducerKit", "Sources/StudioKit", "Sources/CamoTypes"])
                .split(separator: "\n").filter { !$0.contains("//") }
                .flatMap { $0.split { !$0.isLetter && !$0.isNumber } })
        for name in try rows().flatMap({ quoted($0.library) }) where name != "async" {
            // `type.member(label:)`: its words.
            for word in name.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) where word != "source" {
                #expect(words.contains(word), "\(name)")
            }
        }
    }

    @Test func `the commands and options are there`() throws {
        for command in try rows().flatMap({ quoted($0.command) }) {
            let words = command.split(separator: " ")
            let table = try source(["Sources/\(words[0])", "Sources/CommandCore"])
            for word in words.dropFirst() {
                let name = word.drop { $0 == "-" }
                #expect(table.contains("\"\(name)\""), "\(command)")
            }
        }
    }
}
