import Confinement
import Dispatch
import Glibc
import Testing

@testable import TransportCore

@Suite(.timeLimit(.minutes(1))) struct PauseMarkTests {
    private let directory = TemporaryDirectory()

    @Test func `it lasts, and can be set and removed twice`() throws {
        let mark = PauseMark(in: try directory.state())
        #expect(!mark.isSet)
        for _ in 0..<2 {
            try mark.set(true)
            #expect(mark.isSet)
            #expect(PauseMark(in: try directory.state()).isSet)
        }
        for _ in 0..<2 {
            try mark.set(false)
            #expect(!mark.isSet)
            #expect(!PauseMark(in: try directory.state()).isSet)
        }
    }

    @Test func `others hear of it`() async throws {
        let mark = PauseMark(in: try directory.state())
        let (changes, change) = AsyncStream.makeStream(of: Bool.self)
        mark.observe(on: DispatchQueue(label: "test.observer")) { change.yield($0) }
        let other = PauseMark(in: try directory.state())
        try other.set(true)
        for await isSet in changes where isSet { break }
        try other.set(false)
        for await isSet in changes where !isSet { break }
    }

    @Test func `what cannot be looked at counts as set`() throws {
        let mark = PauseMark(in: try directory.state())
        try #require(symlink("paused", directory.path + "/state/paused") == 0)
        #expect(mark.isSet)
        try mark.set(false)
        #expect(!mark.isSet)
    }
}
