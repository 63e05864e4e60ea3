import Confinement
import FoundationEssentials
import Glibc
import Testing
import TransportCore

@testable import CommandCore
@testable import GadgetSetup

/// What `usb-gadget` does for whom, what it tells, and how it ends.
@Suite struct GadgetCommandTests {
    /// Takes down what it is asked for.
    private final class Composition: GadgetComposing {
        let asked = Locked<[GadgetComposition.Wishes]>([])
        let error: TransportError?
        let wasThere: Bool

        init(error: TransportError? = nil, wasThere: Bool = true) { (self.error, self.wasThere) = (error, wasThere) }

        func setUp(_ wishes: GadgetComposition.Wishes) throws(TransportError) -> String {
            asked.withLock { $0.append(wishes) }
            if let error { throw error }
            return wishes.controller ?? "fe980000.usb"
        }

        func remove() throws(TransportError) -> Bool {
            if let error { throw error }
            return wasThere
        }
    }

    /// Whoever runs the tests, as the user who called sudo.
    private static var me: SystemUser? { SystemUser.numbered(getuid()) }

    private func perform(
        _ wanted: GadgetOptions, _ composition: Composition = Composition(), isRoot: Bool = true,
        invocation: String = "camo-producer", json: Bool = false, state: String = "/nowhere"
    ) throws -> (code: ExitCode, text: String) {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        let events = EventWriter(
            program: "camo-producer", verbosity: .normal, json: json ? ends[1] : nil, people: ends[1], terminal: nil,
            clock: SystemClock(), outputDidFail: {})
        var options = GlobalOptions()
        options.stateDirectory = state
        var machine = GadgetCommand.Machine()
        machine.isRoot = { isRoot }
        machine.caller = { Self.me }
        machine.composition = { composition }
        machine.invocation = { invocation }
        let code = GadgetCommand(program: "camo-producer", options: options, events: events, machine: machine)
            .perform(wanted)
        close(ends[1])
        var bytes = [UInt8](repeating: 0, count: 4_096)
        let count = read(ends[0], &bytes, bytes.count)
        return (code, String(decoding: bytes.prefix(max(0, count)), as: UTF8.self))
    }

    private func withState<R>(_ body: (String) throws -> R) throws -> R {
        let folder = FileManager.default.temporaryDirectory.path + "/camo-gadget-\(UInt64.random(in: 0...UInt64.max))"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try body(folder)
    }

    @Test func `who is not root is told the command that works`() throws {
        let me = try #require(Self.me)
        let result = try perform(.setUp(user: nil, controller: nil), isRoot: false)
        #expect(result.code == .noPermission)
        #expect(
            result.text
                == "camo-producer: usb-gadget setup needs root: sudo camo-producer usb-gadget setup --user \(me.name)\n"
        )
        let path = try perform(
            .setUp(user: "pi", controller: "a.usb"), isRoot: false, invocation: "./build/camo-producer")
        #expect(path.text.hasSuffix("sudo ./build/camo-producer usb-gadget setup --user pi --udc a.usb\n"))
        let remove = try perform(.remove, isRoot: false)
        #expect(remove.text.hasSuffix("needs root: sudo camo-producer usb-gadget remove\n"))
    }

    @Test func `it is set up for whoever called sudo, with that user's device as its serial number`() throws {
        try withState { state in
            let me = try #require(Self.me)
            let composition = Composition()
            let result = try perform(.setUp(user: nil, controller: "a.usb"), composition, state: state)
            #expect(result.code == .success)
            #expect(result.text == "\(me.name) can be the device on the cable at a.usb now\n")
            let directory = try StateDirectory(chosen: state, program: "camo-producer", report: { _ in })
            let serial = try Identity.loadOrCreate(in: directory).id.short
            let asked = composition.asked.withLock { $0 }
            let wishes = GadgetComposition.Wishes(user: me.id, group: me.group, serial: serial, controller: "a.usb")
            #expect(asked == [wishes])
            // The key stays: the same number each time.
            _ = try perform(.setUp(user: me.name, controller: "a.usb"), composition, state: state)
            #expect(composition.asked.withLock { $0 } == [wishes, wishes])
        }
    }

    @Test func `programs are told what was made`() throws {
        try withState { state in
            let result = try perform(.setUp(user: nil, controller: nil), json: true, state: state)
            #expect(result.text.contains(#""event":"usbGadgetReady","user":"#))
            #expect(result.text.contains(#""controller":"fe980000.usb","directory":"/dev/usb-ffs/camo","serial":"#))
        }
    }

    @Test func `there is no such user`() throws {
        let composition = Composition()
        let result = try perform(.setUp(user: "no-such-user", controller: nil), composition)
        #expect(result.code == .usage)
        #expect(result.text.contains("no user 'no-such-user'"))
        #expect(composition.asked.withLock { $0 }.isEmpty)
    }

    @Test func `a removal says whether there was anything`() throws {
        let first = try perform(.remove)
        #expect(first.code == .success)
        #expect(first.text == "The USB gadget is removed\n")
        let second = try perform(.remove, Composition(wasThere: false))
        #expect(second.code == .success)
        #expect(second.text == "There was no USB gadget\n")
    }

    @Test(arguments: [
        (TransportError.Code.busy, ExitCode.busy), (.controllerMissing, .unavailable), (.gadgetMissing, .unavailable),
        (.noPermission, .noPermission), (.system, .unavailable),
    ])
    func `what is refused has an exit code`(code: TransportError.Code, exit: ExitCode) throws {
        let result = try perform(.remove, Composition(error: TransportError(code, "it is not to be")))
        #expect(result.code == exit)
        #expect(result.text == "camo-producer: it is not to be\n")
    }

    @Test func `a damaged key is no reason to make another one`() throws {
        try withState { state in
            let directory = try StateDirectory(chosen: state, program: "camo-producer", report: { _ in })
            try Data("rubbish".utf8).write(to: URL(filePath: directory.path + "/identity.pem"))
            let result = try perform(.setUp(user: nil, controller: nil), state: state)
            #expect(result.code == .badData)
            #expect(result.text.contains("damaged"))
        }
    }
}
