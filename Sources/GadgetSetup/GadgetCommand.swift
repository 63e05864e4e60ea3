package import CommandCore
import Glibc
internal import TransportCore

/// `usb-gadget setup` and `remove`, the same for both programs.
package struct GadgetCommand: Sendable {
    private let program: String
    private let options: GlobalOptions
    private let events: EventWriter
    private let machine: Machine

    /// What the command does to a machine. Injected for tests.
    struct Machine: Sendable {
        var isRoot: @Sendable () -> Bool = { geteuid() == 0 }
        /// Who called, also through sudo(8).
        var caller: @Sendable () -> SystemUser? = {
            let name = geteuid() == 0 ? getenv("SUDO_USER").map { String(cString: $0) } : nil
            return name.flatMap(SystemUser.named) ?? SystemUser.numbered(getuid())
        }
        var user: @Sendable (String) -> SystemUser? = { SystemUser.named($0) }
        /// As the program was called: sudo(8) may not find it by its name alone.
        var invocation: @Sendable () -> String? = { CommandLine.arguments.first }
        var composition: @Sendable () -> any GadgetComposing = { GadgetComposition() }
    }

    /// - Parameter program: `camo-producer` or `camo-studio`: whose key gives the gadget its serial number.
    package init(program: String, options: GlobalOptions, events: EventWriter) {
        self.init(program: program, options: options, events: events, machine: Machine())
    }

    init(program: String, options: GlobalOptions, events: EventWriter, machine: Machine) {
        (self.program, self.options, self.events, self.machine) = (program, options, events, machine)
    }

    package func perform(_ wanted: GadgetOptions) -> ExitCode {
        guard machine.isRoot() else { return fail(rootAdvice(wanted), .noPermission) }
        do throws(TransportError) {
            switch wanted {
            case .setUp(let user, let controller): return try setUp(user, controller)
            case .remove:
                let wasThere = try machine.composition().remove()
                events.write(
                    Event(
                        "usbGadgetRemoved",
                        sentence: wasThere ? "The USB gadget is removed" : "There was no USB gadget",
                        ["wasThere": .bool(wasThere)]))
                return .success
            }
        } catch {
            return fail(error.message, ExitCode(error))
        }
    }

    private func setUp(_ name: String?, _ controller: String?) throws(TransportError) -> ExitCode {
        guard let user = name.map(machine.user) ?? machine.caller() else {
            return fail("--user: this machine has no user '\(TerminalText.cleaned(name ?? ""))'", .usage)
        }
        let events = events
        let serial = try user.deviceID(program: program, stateDirectory: options.stateDirectory) { line in
            events.write(Event("notice", sentence: line, ["text": .string(line)]))
        }
        let bound = try machine.composition().setUp(
            GadgetComposition.Wishes(user: user.id, group: user.group, serial: serial, controller: controller))
        events.write(
            Event(
                "usbGadgetReady", sentence: "\(user.name) can be the device on the cable at \(bound) now",
                [
                    "user": .string(user.name), "controller": .string(bound),
                    "directory": .string(USBGadgetPlace.directory), "serial": .string(serial),
                ]))
        return .success
    }

    /// The command as it would work.
    private func rootAdvice(_ wanted: GadgetOptions) -> String {
        let invocation = machine.invocation().flatMap { $0.contains("/") ? $0 : nil }
        var words = ["sudo", invocation ?? program, "usb-gadget", wanted.verb]
        if case .setUp(let user, let controller) = wanted {
            words += ["--user", user ?? machine.caller()?.name ?? "NAME"]
            words += controller.map { ["--udc", $0] } ?? []
        }
        return "usb-gadget \(wanted.verb) needs root: \(words.joined(separator: " "))"
    }

    private func fail(_ message: String, _ code: ExitCode) -> ExitCode {
        events.write(.error(message, exitCode: code))
        return code
    }
}

/// ``GadgetComposition``, or what a test has in its place.
protocol GadgetComposing: Sendable {
    func setUp(_ wishes: GadgetComposition.Wishes) throws(TransportError) -> String
    func remove() throws(TransportError) -> Bool
}

extension GadgetComposition: GadgetComposing {}

extension ExitCode {
    init(_ error: TransportError) {
        self =
            switch error.code {
            case .busy: .busy
            case .noPermission: .noPermission
            case .noStateDirectory, .diskFull: .cannotCreate
            case .identityDamaged: .badData
            default: .unavailable
            }
    }
}
