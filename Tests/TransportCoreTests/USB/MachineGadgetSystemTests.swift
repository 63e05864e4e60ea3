import Glibc
import Testing

@testable import TransportCore

/// The calls themselves, on files of a test's own; configfs and mounts are for the guest.
@Suite struct MachineGadgetSystemTests {
    private let system = MachineGadgetSystem()
    private let folder = TemporaryDirectory()

    private func refusal(_ body: () throws(SystemError) -> Void) -> Int32? {
        do throws(SystemError) { try body() } catch { return error.number }
        return nil
    }

    @Test func `what is written is read, without white space`() throws {
        let path = folder.path + "/choice"
        #expect(refusal { () throws(SystemError) in try system.write("a.usb", to: path) } == ENOENT)
        #expect(system.text(path) == nil)
        try system.keep("a.usb", at: path)
        #expect(folder.bytes("choice") == Array("a.usb\n".utf8))
        #expect(folder.mode("choice") == 0o644)
        #expect(system.text(path) == "a.usb")
        try system.write("", to: path)
        try system.keep("b", at: path)
        #expect(system.text(path) == "b")
        try system.removeFile(path)
        #expect(!system.exists(path))
    }

    /// Longer than one read: the table of mounts.
    @Test func `a long file is read whole`() {
        let lines = (0..<2_000).map { "camo\($0) /somewhere functionfs rw 0 0" }.joined(separator: "\n")
        folder.write(Array(lines.utf8), to: "mounts")
        #expect(system.text(folder.path + "/mounts") == lines)
        #expect(system.text("/proc/self/mounts")?.contains(" / ") == true)
    }

    @Test func `folders and links are made, listed and removed`() throws {
        let (first, second) = (folder.path + "/b", folder.path + "/a")
        try system.makeFolder(first)
        #expect(refusal { () throws(SystemError) in try system.makeFolder(first) } == EEXIST)
        try system.link(second, to: first)
        #expect(system.names(in: folder.path) == ["a", "b"])
        #expect(system.target(ofLink: second)?.hasSuffix("/b") == true)
        #expect(system.target(ofLink: first) == nil)
        #expect(system.owner(of: first) == getuid())
        #expect(system.mayUse(first))
        try system.give(first, to: getuid(), group: getgid())
        try system.removeFile(second)
        try system.removeFolder(first)
        #expect(system.names(in: folder.path) == [])
        #expect(system.names(in: first) == [])
        #expect(refusal { () throws(SystemError) in try system.removeFolder(first) } == ENOENT)
    }

    @Test func `a module that there is not`() {
        #expect(!system.loadModule("camo-no-such-module"))
    }
}
