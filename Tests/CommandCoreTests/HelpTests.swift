import Testing

@testable import CommandCore

@Suite struct HelpTests {
    @Test func helpFits80ColumnsAndNamesEveryOption() {
        let help = SampleTable.printed("--help")
        #expect(help.hasPrefix("Usage: sample [options]\n"))
        for option in SampleTable.tool.root.options + SampleTable.tool.global.options {
            #expect(help.contains("--\(option.name)"))
        }
        for line in help.split(separator: "\n") { #expect(line.count <= 80, "\(line)") }
        #expect(help.contains("  -c, --count N           how many\n"))
        #expect(help.contains("economy, standard, high, super, ultra"))
    }

    @Test func helpOfACommandIsItsOwn() {
        let help = SampleTable.printed("devices", "remove", "-h")
        #expect(help.hasPrefix("Usage: sample devices remove ID [options]\n"))
        #expect(SampleTable.printed("set", "-h").hasPrefix("Usage: sample set [NAME=VALUE …] [options]\n"))
        #expect(SampleTable.printed("pick", "-h").hasPrefix("Usage: sample pick [ID] [options]\n"))
        #expect(!help.contains("--count"))
        #expect(help.contains("--state-dir"))
    }

    @Test func helpNeedsNoOperands() {
        #expect(SampleTable.printed("open", "--help").contains("Opens a file."))
    }

    @Test func version() { #expect(SampleTable.printed("--version") == "sample 1.2.3\n") }

    @Test func wrappingKeepsEveryWord() {
        let words = (1...60).map { String(repeating: "w", count: $0 % 13 + 1) }.joined(separator: " ")
        let lines = TextLayout.wrapped(words, to: 30)
        #expect(lines.joined(separator: " ") == words)
        #expect(lines.allSatisfy { $0.count <= 30 })
    }

    @Test func nearWordsAreSuggestedFarOnesNot() {
        #expect(Suggestion.distance("kitten", "sitting") == 3)
        #expect(Suggestion.nearest(to: "prot", among: ["port", "size"]) == "port")
        #expect(Suggestion.nearest(to: "xy", among: ["fps"]) == nil)
        #expect(Suggestion.nearest(to: "", among: []) == nil)
    }
}
