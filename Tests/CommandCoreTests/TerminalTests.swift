import CamoTypes
import Testing

@testable import CommandCore

@Suite struct TerminalTextTests {
    @Test(arguments: [
        ("plain", "plain"), ("Küche 厨房 🎥 e\u{301}", "Küche 厨房 🎥 e\u{301}"), ("a\u{1B}[31mb", "a\u{FFFD}[31mb"),
        ("a\nb\r\tc\0", "a\u{FFFD}b\u{FFFD}\u{FFFD}c\u{FFFD}"), ("\u{9B}2J\u{7F}", "\u{FFFD}2J\u{FFFD}"),
        ("\u{202E}fdp.exe\u{2069}\u{200F}\u{61C}", "\u{FFFD}fdp.exe\u{FFFD}\u{FFFD}\u{FFFD}"),
        ("a\u{2028}b", "a\u{FFFD}b"), ("a\r\nb", "a\u{FFFD}\u{FFFD}b"),
    ])
    func controlAndDirectionAreTakenOut(text: String, shown: String) {
        #expect(Array(TerminalText.cleaned(text).unicodeScalars) == Array(shown.unicodeScalars))
    }

    @Test func clippingCountsWideCharactersTwice() {
        #expect(TerminalText.clipped("abcdef", columns: 3) == "abc")
        #expect(TerminalText.clipped("厨房ab", columns: 5) == "厨房a")
        #expect(TerminalText.clipped("abc", columns: 0) == "")
        #expect(TerminalText.clipped("▁▂▃▄", columns: 3) == "▁▂▃")
    }
}

@Suite struct StatusLineTests {
    private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(microseconds: milliseconds * 1000) }

    @Test func itIsRewrittenInPlaceAtMostTenTimesASecond() {
        var status = StatusLine()
        #expect(status.show("one", columns: 80, now: time(0)) == "\r\u{1B}[Kone")
        #expect(status.show("two", columns: 80, now: time(99)) == nil)
        #expect(status.show("two", columns: 80, now: time(100)) == "\r\u{1B}[Ktwo")
        #expect(status.show("two", columns: 80, now: time(300)) == nil)
    }

    @Test func messagesStandAboveIt() {
        var status = StatusLine()
        #expect(status.above("said\n") == "said\n")
        _ = status.show("live", columns: 80, now: time(0))
        #expect(status.above("said\n") == "\r\u{1B}[Ksaid\nlive")
        #expect(status.end() == "\r\u{1B}[K")
        #expect(status.end() == "")
    }

    @Test func severalLinesAreWrittenOverTogether() {
        var status = StatusLine()
        #expect(status.show("a\nb\nc", columns: 80, rows: 24, now: time(0)) == "\r\u{1B}[Ka\nb\nc")
        #expect(status.show("d\nlonger", columns: 4, rows: 24, now: time(200)) == "\r\u{1B}[2A\u{1B}[Jd\nlon")
        #expect(status.above("said\n") == "\r\u{1B}[1A\u{1B}[Jsaid\nd\nlon")
        // What would not fit would scroll away, and could not be written over.
        #expect(status.show("1\n2\n3\n4", columns: 80, rows: 3, now: time(400)) == "\r\u{1B}[1A\u{1B}[J1\n2")
        #expect(status.end() == "\r\u{1B}[1A\u{1B}[J" && status.end() == "")
    }

    @Test func itNeverReachesTheLastColumn() {
        var status = StatusLine()
        #expect(status.show("abcdef", columns: 4, now: time(0)) == "\r\u{1B}[Kabc")
    }
}
