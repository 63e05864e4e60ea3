import FoundationEssentials
import Testing

@testable import TransportCore

/// What is shipped beside the programs says the same as they do.
@Suite struct PackagingTests {
    private func lines(_ path: String) throws -> [String] {
        var folder = URL(filePath: #filePath)
        for _ in 0..<4 { folder.deleteLastPathComponent() }
        return try String(contentsOf: folder.appending(path: path), encoding: .utf8).split(separator: "\n")
            .map(String.init)
    }

    @Test func `the udev rule is the one that errors and doctor name`() throws {
        let name = try #require(USBIdentity.udevRulePath.split(separator: "/").last)
        let rules = try lines("packaging/udev/\(name)").filter { !$0.hasPrefix("#") }
        #expect(rules == [USBIdentity.udevRule])
        // It is our interface's, in the order in which udev's usb_id writes it.
        #expect(rules[0].contains("*:ff4301:*"))
    }

    @Test func `the units call commands that there are`() throws {
        let gadget = try lines("packaging/systemd/camo-usb-gadget@.service")
        #expect(gadget.contains("ExecStart=/usr/local/bin/camo-producer usb-gadget setup --user %i"))
        #expect(gadget.contains("ExecStop=/usr/local/bin/camo-producer usb-gadget remove"))
    }

    @Test func `the guide tells where everything is`() throws {
        let guide = try lines("docs/guide/usb.md").joined(separator: "\n")
        for path in [USBGadgetPlace.gadget, USBGadgetPlace.directory, USBGadgetPlace.choice] {
            #expect(guide.contains("`\(path)`"))
        }
    }
}
