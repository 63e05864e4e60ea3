import CamoTypes
import Testing

@Suite struct DeviceNameTests {
    private func name(_ raw: String) -> String { DeviceName(raw, fallback: "Studio").text }

    @Test(arguments: [
        ("Desk", "Desk"), ("  Desk \t 2 \r\n", "Desk 2"), ("two\nlines", "two lines"), ("a\u{2028}b\u{2029}c", "a b c"),
        ("Café", "Café"), ("Cafe\u{301}", "Café"), ("\u{1100}\u{1161}\u{11A8}", "각"), ("名前 📷", "名前 📷"),
        ("שלום", "שלום"), ("a\"b'c", "a\"b'c"), ("nul\u{0}l", "nul l"), ("esc\u{1B}[31m", "esc [31m"),
        ("\u{202E}gpj.exe", "gpj.exe"), ("a\u{2066}b\u{2069}c\u{200E}d\u{061C}e", "abcde"), ("\u{FEFF}x", "x"),
        ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"), ("🏴󠁧󠁢󠁳󠁣󠁴󠁿", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"), ("می‌خواهم", "می‌خواهم"), ("c1\u{85}\u{9B}x", "c1 x"),
        ("no\u{FFFE}n\u{10FFFF}char", "nonchar"), ("soft\u{AD}hyphen", "softhyphen"),
        ("\u{A0}nb\u{A0}sp\u{3000}", "nb sp"),
    ])
    func cleaning(raw: String, expected: String) {
        #expect(Array(name(raw).unicodeScalars) == Array(expected.precomposed.unicodeScalars))
    }

    @Test(arguments: ["", " ", "\n\t", "\u{202E}\u{2069}", "\u{200D}\u{200D}", "\u{301}", "\u{0}"])
    func nothingToSeeIsTheFallback(raw: String) {
        #expect(name(raw) == "Studio")
    }

    @Test func aFallbackThatIsBlankIsNeverShown() {
        #expect(DeviceName("", fallback: " \u{202E}").text == "unnamed")
        #expect(DeviceName("\n", fallback: " Lab\n").text == "Lab")
    }

    @Test func longNamesAreCutAtACharacter() {
        #expect(name(String(repeating: "a", count: 65)) == String(repeating: "a", count: 64))
        #expect(name(String(repeating: "é", count: 40)) == String(repeating: "é", count: 32))
        #expect(name("x" + String(repeating: "é", count: 40)) == "x" + String(repeating: "é", count: 31))
        // 25 bytes each: the third does not fit, and is not torn apart.
        #expect(name(String(repeating: "👩‍👩‍👧‍👦", count: 9)) == "👩‍👩‍👧‍👦👩‍👩‍👧‍👦")
        #expect(name(String(repeating: "a", count: 63) + " b") == String(repeating: "a", count: 63))
        // One character of a thousand marks does not fit at all.
        #expect(name("a" + String(repeating: "\u{301}\u{302}", count: 500)) == "Studio")
    }

    @Test func cleaningTwiceChangesNothing() {
        for raw in ["Cafe\u{301} ", "a\u{202E}b", String(repeating: "x y", count: 99), "👩‍👩‍👧‍👦 📷"] {
            #expect(name(name(raw)) == name(raw))
        }
    }
}

extension String {
    /// These literals are in NFC in this file already, but an editor may have other ideas.
    fileprivate var precomposed: String { DeviceName(self, fallback: "x").text }
}
