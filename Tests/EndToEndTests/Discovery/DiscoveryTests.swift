import Foundation
import Testing

/// Discovery on one host with a real Avahi daemon.
@Suite(.needsRoot) struct DiscoveryTests {
    @Test func whatIsPublishedIsFoundWithItsTextAndAddresses() async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let browser = try rig.browser(["--dial"], on: host)
            let publisher = try rig.publisher(
                "Porch", ["--port", "5701", "--text", "n=The porch", "--hex", "b=00ff3d0a", "--hex", "e=", "--listen"],
                on: host)
            #expect(try await publisher.event("published", within: .seconds(5)).name.string == "Porch")
            let found = try await browser.found("Porch") { $0.addresses.array.count == 2 }
            #expect(found.addresses.strings == ["127.0.0.1:5701", "[::1]:5701"])
            #expect(found.text["n"].string == "The porch")
            #expect(found.hex["b"].string == "00ff3d0a")
            #expect(found.hex["e"].string == "")
            for address in found.addresses.strings {
                _ = try await browser.event("reached", within: .seconds(3)) { $0.address.string == address }
            }
        }
    }

    @Test func twoServicesOfOneProcessOnTwoTypes() async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let browser = try rig.browser(["--browse", "_camopairing._tcp"], on: host)
            let publisher = try rig.publisher(
                "Desk", ["--publish", "Desk", "--type", "_camopairing._tcp", "--port", "6000"], on: host)
            _ = try await browser.found("Desk") { $0.type.string == "_camo._tcp" }
            let pairing = try await browser.found("Desk") { $0.type.string == "_camopairing._tcp" }
            #expect(pairing.addresses.strings.first == "127.0.0.1:6000")

            // One is taken back, the other stays.
            #expect(publisher.writeLine("unpublish 2"))
            let lost = try await browser.event("lost", within: .seconds(5))
            #expect(lost.type.string == "_camopairing._tcp")
            #expect(browser.count(of: "lost") == 1)
        }
    }

    @Test func entriesThatAreNotOursAreNobody() async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let browser = try rig.browser(on: host)
            let others = try rig.publisher("iPhone", ["--bare", "--text", "model=15"], on: host)
            _ = try await others.event("published", within: .seconds(5))
            let avahi = try rig.start("avahi-browse", ["-p", "_camo._tcp"], on: host)
            _ = try await avahi.line(within: .seconds(5)) { $0.contains("iPhone") }
            _ = try rig.publisher("Porch", on: host)
            _ = try await browser.found("Porch")
            #expect(browser.events().allSatisfy { $0.instance.string != "iPhone" })
        }
    }

    @Test func aNameThatIsTakenOnThisHostIsCountedUp() async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let browser = try rig.browser(on: host)
            for expected in ["Porch", "Porch #2", "Porch #3"] {
                let publisher = try rig.publisher("Porch", on: host)
                #expect(try await publisher.event("published", within: .seconds(5)).name.string == expected)
                _ = try await browser.found(expected)
            }
        }
    }

    @Test func changesArriveAndEndsToo() async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let browser = try rig.browser(on: host)
            let publisher = try rig.publisher("Porch", ["--text", "n=old"], on: host)
            _ = try await browser.found("Porch") { $0.text["n"].string == "old" }

            publisher.writeLine("text 1 n=new")
            _ = try await browser.found("Porch") { $0.text["n"].string == "new" }

            // The daemon forgets the old name at once; caches keep it for a second (RFC 6762, 10.1).
            publisher.writeLine("rename 1 Garden")
            _ = try await browser.found("Garden")
            try await browser.lost("Porch")

            // A process that is killed is withdrawn by the daemon, which sees it leave the bus.
            publisher.signal(SIGKILL)
            try await browser.lost("Garden")
        }
    }

    @Test func oneThatComesBackOnAnotherPortIsFoundThere() async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let browser = try rig.browser(on: host)
            let first = try rig.publisher("Porch", ["--port", "5701"], on: host)
            _ = try await browser.found("Porch") { $0.addresses.strings.contains("127.0.0.1:5701") }
            first.signal(SIGKILL)
            _ = try await first.exit(within: .seconds(2))
            _ = try rig.publisher("Porch", ["--port", "5702"], on: host)
            let again = try await browser.found("Porch") { $0.addresses.strings.contains("127.0.0.1:5702") }
            #expect(again.addresses.strings.allSatisfy { $0.hasSuffix(":5702") })
        }
    }

    @Test func oddNamesArriveAsTheyAre() async throws {
        let names = [
            "Kamera im Flur mit Äpfeln", "📷", "👩‍👩‍👧‍👦 Wohnzimmer", "玄関のカメラ", "מצלמה בכניסה", "كاميرا المدخل",
            "\"quoted\" 'and' \\back\\slashed\\ . dotted.", "e\u{301}cran", "ends with #7", "%s%n %00 $(x) `y`",
        ]
        try await expect(names.map { ($0, $0) })
    }

    @Test func namesThatDoNotFitAreCut() async throws {
        try await expect([
            (String(repeating: "n", count: 80), String(repeating: "n", count: 63)),
            // 27 letters of 3 bytes, of which 21 have room.
            (String(repeating: "鏡", count: 27), String(repeating: "鏡", count: 21)),
            // A family has 25 bytes and is not torn.
            (String(repeating: "👩‍👩‍👧‍👦", count: 4), String(repeating: "👩‍👩‍👧‍👦", count: 2)),
            ("two\nlines\tand\u{202e} a turn", "two lines and a turn"),
            (" \n", "camo"),
        ])
    }

    /// Each first name is published and found as the second.
    private func expect(_ names: [(wanted: String, shown: String)]) async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let browser = try rig.browser(on: host)
            let publisher = try rig.start(
                "discovery-probe", names.flatMap { ["--publish", $0.wanted] }, on: host, input: .written)
            for (index, name) in names.enumerated() {
                let published = try await publisher.event("published", within: .seconds(5)) {
                    $0.number.integer == index + 1
                }
                #expect(published.name.string == name.shown)
                #expect(try await browser.found(name.shown).name.string == name.shown)
            }
        }
    }

    @Test func aLongNameThatIsTakenIsCutForItsNumber() async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let name = String(repeating: "鏡", count: 21)
            _ = try await rig.publisher(name, on: host).event("published", within: .seconds(5))
            let second = try rig.publisher(name, on: host)
            let published = try await second.event("published", within: .seconds(5))
            #expect(published.name.string == String(repeating: "鏡", count: 20) + " #2")
        }
    }

    @Test func whatCanNeverBePublishedIsSaidAndNotTriedAgain() async throws {
        try await Rig.run { rig in
            let host = try await rig.privateNetwork()
            let publisher = try rig.publisher(
                "Porch", ["--type", "not a type", "--publish", "Porch", "--port", "5702"], on: host)
            let failed = try await publisher.event("publishingFailed", within: .seconds(5))
            #expect(failed.number.integer == 1)
            #expect(failed.message.string?.contains("not a type") == true)
            // The other goes on.
            #expect(try await publisher.event("published", within: .seconds(5)).number.integer == 2)
            #expect(publisher.count(of: "publishingFailed") == 1)
        }
    }
}
