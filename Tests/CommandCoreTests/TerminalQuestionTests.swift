import Glibc
import Testing

@testable import CommandCore

@Suite struct TerminalQuestionTests {
    /// Asks with an answer that is there, or comes in pieces.
    private func answer(to pieces: [String], isLast: Bool = true) async throws -> Bool {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        async let answer = TerminalQuestion.isAnsweredYes(input: reading)
        for piece in pieces {
            _ = piece.withCString { write(writing, $0, strlen($0)) }
            await Task.yield()
        }
        if isLast { close(writing) }
        defer { if !isLast { close(writing) } }
        return await answer
    }

    @Test(arguments: [["y\n"], ["Yes\n"], [" y", "es", " \n"], ["y"]])
    func `a yes is a yes`(pieces: [String]) async throws {
        #expect(try await answer(to: pieces))
    }

    @Test(arguments: [["\n"], ["n\n"], ["yesterday\n"], ["no\ny\n"], [""], [String(repeating: "y", count: 5_000)]])
    func `anything else is a no`(pieces: [String]) async throws {
        #expect(try await !answer(to: pieces))
    }

    @Test func `a question that is taken back is a no, and nobody waits`() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        let reading = ends[0]
        let question = Task { await TerminalQuestion.isAnsweredYes(input: reading) }
        question.cancel()
        #expect(await question.value == false)
        for end in ends { close(end) }
    }
}
