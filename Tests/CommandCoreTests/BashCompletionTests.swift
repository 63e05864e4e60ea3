import Foundation
import Testing

@testable import CommandCore

/// The script is judged by bash itself.
@Suite struct BashCompletionTests {
    private func complete(_ words: String...) throws -> Set<String> {
        let script = """
            \(SampleTable.tool.bashCompletion())
            COMP_WORDS=(sample \(words.map { "'\($0)'" }.joined(separator: " ")))
            COMP_CWORD=\(words.count)
            _sample
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/bash")
        process.arguments = ["--norc", "-c", script]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return Set(text.split(separator: "\n").map(String.init))
    }

    @Test func commandsAndOptions() throws {
        #expect(try complete("de") == ["devices"])
        #expect(try complete("--de") == ["--definition"])
        #expect(try complete("devices", "").isSuperset(of: ["remove", "--depth", "--json"]))
        #expect(try complete("devices", "remove", "--d") == [])
    }

    @Test func wordsOfAChoice() throws {
        #expect(try complete("--definition", "s") == ["standard", "super"])
        #expect(try complete("--count", "") == [])
    }

    @Test func fileNames() throws {
        #expect(try complete("--file", "/etc/host").contains("/etc/hosts"))
    }
}
