internal import Glibc

/// The gadget of these programs on this machine: one for all of them, composed by root through configfs
/// (gadget_configfs.rst), served and plugged in by the user it was set up for.
package struct USBGadgetPlace: Sendable {
    /// Where its FunctionFS is mounted.
    package static let directory = "/dev/usb-ffs/camo"

    /// Of the gadget and of its function's instance.
    static let name = "camo"
    static let configfs = "/sys/kernel/config"
    static let gadgets = configfs + "/usb_gadget"
    static let gadget = gadgets + "/" + name
    /// The controller that it is bound to; writing one binds it.
    static let binding = gadget + "/UDC"
    /// Which controller `setup` was given; not there: the first that is free.
    static let choice = "/run/camo-usb-gadget"

    let system: any GadgetSystem

    package init() { self.init(MachineGadgetSystem()) }
    init(_ system: any GadgetSystem) { self.system = system }

    /// Nil: it is on no cable.
    var boundController: String? { system.text(Self.binding).flatMap { $0.isEmpty ? nil : $0 } }

    /// Binds the gadget to the device controller: it is on the cable from then on. Nothing happens if it is already.
    ///
    /// To be called each time that the FunctionFS has been opened, since the kernel takes the gadget off when whoever
    /// served it ends (`ffs_closed`). Not before: nothing would be there to be bound.
    ///
    /// - Throws: `gadgetMissing` (it is not set up), `controllerMissing`, `busy`, `noPermission`.
    package func plugIn() throws(TransportError) {
        guard system.exists(Self.gadget) else { throw Self.notSetUp }
        let controllers = GadgetControllers(system: system)
        if let bound = boundController {
            if controllers.names.contains(bound) { return }
            // Of a controller that has gone, and may come back by another name.
            try? system.write("", to: Self.binding)
        }
        let controller = try controllers.choose(system.text(Self.choice))
        do throws(SystemError) {
            try system.write(controller, to: Self.binding)
        } catch {
            switch error.number {
            case EBUSY: throw controllers.busy(controller)
            case EACCES, EPERM: throw Self.notForThisUser("plug in the USB gadget", error.number)
            // No function of it has its descriptors.
            case ENODEV:
                throw TransportError(
                    .gadgetMissing, "can't plug in the USB gadget: no program serves \(Self.directory)",
                    systemError: error.number)
            default:
                throw TransportError(errno: error.number, "can't bind the USB gadget to \(controller)")
            }
        }
    }

    static let notSetUp = TransportError(
        .gadgetMissing, "the USB gadget is not set up: sudo camo-producer usb-gadget setup --user \"$USER\"")

    static func notForThisUser(_ what: String, _ number: Int32) -> TransportError {
        TransportError(
            errno: number, "can't \(what)",
            advice: "Set it up for this user: sudo camo-producer usb-gadget setup --user \"$USER\"")
    }
}
