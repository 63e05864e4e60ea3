import Foundation
import Testing

/// Discovery between two hosts, each with its own Avahi daemon.
@Suite(.needsRoot) struct DiscoveryTwoHostsTests {
    @Test func aServiceIsFoundAcrossWithAllItsAddresses() async throws {
        try await Rig.run { rig in
            let hosts = try await rig.twoHosts()
            _ = try rig.publisher("Porch", ["--listen"], on: hosts.a)
            let browser = try rig.browser(["--dial"], on: hosts.b)
            let found = try await browser.found("Porch") { $0.addresses.array.count == 2 }
            #expect(found.addresses.strings[0] == "\(TwoHosts.addressA):5700")
            #expect(found.addresses.strings[1].hasPrefix("[fe80::"))
            #expect(found.addresses.strings[1].hasSuffix("%eth0]:5700"))
            for address in found.addresses.strings {
                _ = try await browser.event("reached", within: .seconds(3)) { $0.address.string == address }
            }
        }
    }

    /// The scope of a link-local address is kept from the answer to connect(2).
    @Test func linkLocalIPv6IsEnough() async throws {
        try await Rig.run { rig in
            let hosts = try await rig.twoHosts(.linkLocalIPv6)
            _ = try rig.publisher("Porch", ["--listen"], on: hosts.a)
            let browser = try rig.browser(["--dial"], on: hosts.b)
            let found = try await browser.found("Porch")
            #expect(found.addresses.strings.count == 1)
            #expect(found.addresses.strings.first?.hasSuffix("%eth0]:5700") == true)
            #expect((found.interfaces.array.first?.integer ?? 0) > 1)
            _ = try await browser.event("reached", within: .seconds(3))
        }
    }

    @Test func aNameThatIsTakenOnAnotherHostIsCountedUp() async throws {
        try await Rig.run { rig in
            let hosts = try await rig.twoHosts()
            let first = try rig.publisher("Porch", on: hosts.a)
            #expect(try await first.event("published", within: .seconds(5)).name.string == "Porch")
            let second = try rig.publisher("Porch", on: hosts.b)
            #expect(try await second.event("published", within: .seconds(8)).name.string == "Porch #2")
            let browser = try rig.browser(on: hosts.a)
            _ = try await browser.found("Porch")
            _ = try await browser.found("Porch #2")
        }
    }

    /// One loses the comparison of the SRV records, the other that of the TXT records, and both give way, in step.
    @Test func twoThatWantANameAtOnceBothGetOne() async throws {
        try await Rig.run { rig in
            let hosts = try await rig.twoHosts()
            let publishers = [
                try rig.publisher("Porch", ["--text", "i=f"], on: hosts.a),
                try rig.publisher("Porch", ["--text", "i=0"], on: hosts.b),
            ]
            let browsers = [try rig.browser(on: hosts.a), try rig.browser(on: hosts.b)]
            var names: Set<String> = []
            for publisher in publishers {
                let name = try await publisher.event("published", within: .seconds(40)).name.string
                #expect(name?.hasPrefix("Porch") == true)
                names.insert(name ?? "")
            }
            #expect(names.count == 2)
            for browser in browsers {
                for name in names { _ = try await browser.found(name, within: .seconds(10)) }
            }
        }
    }

    /// Of three addresses one can be reached; all are told, that one too.
    @Test func allAddressesAreTold() async throws {
        try await Rig.run { rig in
            let hosts = try await rig.twoHosts()
            for address in ["10.98.0.1/24", "10.99.0.1/24"] {
                try await hosts.a.run("ip", "addr", "add", address, "dev", "eth0")
            }
            _ = try rig.publisher("Porch", ["--listen"], on: hosts.a)
            let browser = try rig.browser(["--dial"], on: hosts.b)
            let wanted = ["10.77.0.1:5700", "10.98.0.1:5700", "10.99.0.1:5700"]
            _ = try await browser.found("Porch") { Set($0.addresses.strings).isSuperset(of: wanted) }
            _ = try await browser.event("reached", within: .seconds(3)) { $0.address.string == wanted[0] }
            _ = try await browser.event("notReached", within: .seconds(3)) { $0.address.string == wanted[1] }
        }
    }

    @Test func anAddressThatComesLaterIsToldToo() async throws {
        try await Rig.run { rig in
            let hosts = try await rig.twoHosts(.linkLocalIPv6)
            _ = try rig.publisher("Porch", on: hosts.a)
            let browser = try rig.browser(on: hosts.b)
            _ = try await browser.found("Porch")
            // DHCP took its time.
            try await hosts.a.run("ip", "addr", "add", "10.77.0.1/24", "dev", "eth0")
            try await hosts.b.run("ip", "addr", "add", "10.77.0.2/24", "dev", "eth0")
            _ = try await browser.found("Porch", within: .seconds(10)) {
                $0.addresses.strings.contains("10.77.0.1:5700")
            }
        }
    }

    /// As the network service of a machine does when its cable or its Wi-Fi is gone.
    @Test func theInterfaceGoesAndComesBack() async throws {
        try await Rig.run { rig in
            let hosts = try await rig.twoHosts()
            _ = try rig.publisher("Porch", on: hosts.b)
            let browser = try rig.browser(on: hosts.a)
            _ = try await browser.found("Porch")
            try await hosts.a.run("ip", "link", "set", "eth0", "down")
            try await browser.lost("Porch")
            let lines = browser.lineCount
            try await hosts.a.run("ip", "link", "set", "eth0", "up")
            _ = try await browser.found("Porch", within: .seconds(10), from: lines)
        }
    }

    /// Avahi does not look at the carrier, and asks again after 1, 2, 4 … 3600 s: who came while the cable was out
    /// would be found within the hour.
    @Test func whoCameWhileTheCableWasOutIsFound() async throws {
        try await Rig.run { rig in
            let hosts = try await rig.twoHosts()
            let browser = try rig.browser(["--refresh", "3"], on: hosts.a)
            _ = try rig.publisher("Desk", on: hosts.b)
            _ = try await browser.found("Desk")
            try await hosts.cut()
            let publisher = try rig.publisher("Porch", on: hosts.b)
            _ = try await publisher.event("published", within: .seconds(5))
            // Its announcements (RFC 6762, 8.3) are over, and the first questions are asked.
            try await Task.sleep(for: .seconds(8))
            #expect(browser.events().allSatisfy { $0.instance.string != "Porch" })
            try await hosts.restore()
            _ = try await browser.found("Porch", within: .seconds(8))
            // What was there all the time was never gone.
            #expect(browser.count(of: "lost") == 0)
        }
    }

    @Test func whereMulticastIsBlockedAnAddressByHandStillWorks() async throws {
        try await Rig.run { rig in
            let hosts = try await rig.twoHosts(.ipv4, services: .none)
            try await hosts.blockMulticast()
            try await hosts.a.start(.all)
            try await hosts.b.start(.all)
            let publisher = try rig.publisher("Porch", ["--listen"], on: hosts.a)
            _ = try await publisher.event("published", within: .seconds(5))
            let browser = try rig.browser(on: hosts.b)
            _ = try await browser.event("available", within: .seconds(3))
            try await hosts.b.run("/bin/bash", "-c", "exec 3<>/dev/tcp/\(TwoHosts.addressA)/5700")
            // Long enough for an answer that got through; then the same network with multicast shows it.
            #expect(
                await browser.standardOutput.contents.first(within: .seconds(2)) {
                    $0.lines.contains { $0.contains("Porch") } ? true : nil
                } == nil)
            try await hosts.allowMulticast()
            _ = try await browser.found("Porch", within: .seconds(20))
        }
    }
}
