import CamoTypes
import Testing

@testable import camo_studio

@Suite struct PlaybackKeysTests {
    private func actions(_ text: String) -> [PlaybackKeys.Action] {
        var keys = PlaybackKeys()
        return text.utf8.compactMap { keys.read($0) }
    }

    @Test func `space and arrows mean something, whatever else is pressed`() {
        let (on, back) = (PlaybackKeys.Action.move(.seconds(Int64(10))), PlaybackKeys.Action.move(.seconds(Int64(-10))))
        #expect(actions(" ") == [.toggle])
        #expect(actions("\u{1B}[C\u{1B}[D\u{1B}OC") == [on, back, on])
        #expect(actions("x\u{1B}\u{1B}[C\u{1B}[A  ") == [on, .toggle, .toggle])
        #expect(actions("CD[\u{1B}[").isEmpty)
    }
}
