package import CommandCore

/// The words of `usb-gadget`, which both programs have.
package enum GadgetTable {
    static let user = Option(
        "user", .text, as: "NAME", "who runs the program; whoever called sudo where not given, else root")
    static let controller = Option(
        "udc", .text, as: "NAME", "a device controller in /sys/class/udc; the first free one where not given")

    /// - Parameter program: `camo-producer` or `camo-studio`.
    package static func command(of program: String) -> Command {
        Command(
            "usb-gadget", "Make this machine the device on a USB cable, as a phone would be; once, as root.",
            usage: ["setup [options]", "remove [options]"],
            discussion: [
                "It needs a USB device controller, which boards have and PCs do not. What is set up is gone after the "
                    + "next start of the machine: docs/guide/usb.md has a unit for systemd that sets it up again."
            ],
            examples: [("sudo \(program) usb-gadget setup", "Let this user be a device from now on.")],
            commands: [
                Command(
                    "setup", "Compose the gadget for one user, or put it right.",
                    discussion: [
                        "Both programs of that user can serve it, one at a time. Its serial number is the ID of the "
                            + "one that sets it up."
                    ],
                    groups: [OptionGroup("Gadget", [user, controller])]),
                Command("remove", "Take the gadget off the cable and away; a program that serves it loses it."),
            ])
    }
}

/// What `usb-gadget` is to do.
package enum GadgetOptions: Hashable, Sendable {
    /// - Parameters:
    ///   - user: Nil: whoever called sudo.
    ///   - controller: Nil: the first free one.
    case setUp(user: String?, controller: String?)
    case remove

    /// - Parameter arguments: Their path begins with the program and `usb-gadget`.
    package init(_ arguments: ParsedArguments) throws(UsageError) {
        switch arguments.path.dropFirst(2).first {
        case "setup":
            self = .setUp(user: arguments[GadgetTable.user], controller: arguments[GadgetTable.controller])
        case "remove": self = .remove
        default: throw arguments.error("what is to be done is missing: setup or remove")
        }
    }

    var verb: String {
        switch self {
        case .setUp: "setup"
        case .remove: "remove"
        }
    }
}
