import Testing

@testable import TransportCore

@Suite struct ServiceNameTests {
    @Test(arguments: [
        ("Porch", "Porch"), ("  two\n\tlines ", "two lines"), ("a\u{202e}b\u{0}c", "ab c"), ("", "camo"),
        ("\u{200b}", "camo"),
        ("👩‍👩‍👧‍👦", "👩‍👩‍👧‍👦"),
    ])
    func labels(_ text: String, _ label: String) { #expect(ServiceName.label(text) == label) }

    @Test(arguments: [0, 1, 2, 3, 4, 5, 24, 25, 26, 49, 50, 63])
    func cutsEndAtACharacter(_ limit: Int) {
        for text in ["aé鏡👩‍👩‍👧‍👦z", String(repeating: "👩‍👩‍👧‍👦", count: 4), String(repeating: "é", count: 40)] {
            let cut = ServiceName.cut(text, toByteCount: limit)
            #expect(cut.utf8.count <= limit)
            #expect(text.unicodeScalars.starts(with: cut.unicodeScalars))
            guard let first = text.first, first.utf8.count <= limit else { continue }
            #expect(text.hasPrefix(cut))
            let next = text.dropFirst(cut.count).first
            if let next, !cut.isEmpty { #expect(cut.utf8.count + next.utf8.count > limit) }
        }
    }

    @Test func aCharacterThatIsTooLongIsCutAtAScalar() {
        let monster = "e" + String(repeating: "\u{301}", count: 100)
        let cut = ServiceName.cut(monster, toByteCount: 63)
        #expect(cut.utf8.count == 63)
        #expect(cut.unicodeScalars.first == "e")
    }

    @Test func noWhiteSpaceIsLeftAtACut() { #expect(ServiceName.cut("ab cd", toByteCount: 3) == "ab") }

    @Test(arguments: [
        ("Porch", "Porch #2"), ("Porch #2", "Porch #3"), ("Porch #9", "Porch #10"), ("a #2 #7", "a #2 #8"),
        ("C #", "C # #2"), ("#5", "#5 #2"), ("a #x", "a #x #2"), ("a #0", "a #0 #2"), ("a #65535", "a #65536"),
        ("a #65536", "a #65536 #2"), (" #1", " #2"),
    ])
    func alternatives(_ name: String, _ next: String) { #expect(ServiceName.alternative(to: name) == next) }

    @Test func alternativesStayWithinALabel() {
        var name = String(repeating: "鏡", count: 21)
        for _ in 0..<200 {
            let next = ServiceName.alternative(to: name)
            #expect(next != name)
            #expect(next.utf8.count <= ServiceName.maximumByteCount)
            name = next
        }
        #expect(name == String(repeating: "鏡", count: 19) + " #201")
    }
}
