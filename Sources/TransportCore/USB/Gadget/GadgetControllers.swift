/// The USB device controllers of this machine (UDCs): each can be one device, at the end of one cable.
struct GadgetControllers: Sendable {
    private static let folder = "/sys/class/udc"
    let system: any GadgetSystem

    var names: [String] { system.names(in: Self.folder) }

    /// The gadget that is bound to a controller, unless it is ours; nil while nobody's is.
    func holder(of controller: String) -> String? {
        let gadgets = system.names(in: USBGadgetPlace.gadgets)
        let bound = gadgets.first { system.text("\(USBGadgetPlace.gadgets)/\($0)/UDC") == controller }
        if let bound { return bound == USBGadgetPlace.name ? nil : bound }
        // One that is a module of its own, such as g_ether.
        let function = system.text("\(Self.folder)/\(controller)/function") ?? ""
        return function.isEmpty ? nil : function
    }

    /// The one that is to be used.
    ///
    /// - Parameter wanted: Nil: the first one that no other gadget has.
    /// - Throws: `controllerMissing`, or `busy`.
    func choose(_ wanted: String?) throws(TransportError) -> String {
        let names = names
        guard !names.isEmpty else { throw Self.thereIsNone }
        if let wanted, !names.contains(wanted) {
            throw TransportError(
                .controllerMissing,
                "there is no USB device controller \(wanted) here. There is: \(names.joined(separator: ", "))")
        }
        let candidates = wanted.map { [$0] } ?? names
        if let free = candidates.first(where: { holder(of: $0) == nil }) { return free }
        throw busy(candidates.first ?? "")
    }

    func busy(_ controller: String) -> TransportError {
        let message = "the USB device controller \(controller) is in use"
        guard let holder = holder(of: controller) else {
            return TransportError(.busy, "\(message) by another gadget. Remove that one")
        }
        let file = "\(USBGadgetPlace.gadgets)/\(holder)/UDC"
        let remedy = system.exists(file) ? "echo '' | sudo tee \(file)" : "sudo rmmod \(holder)"
        return TransportError(.busy, "\(message) by the gadget \(holder). Take that one off the cable: \(remedy)")
    }

    static let thereIsNone = TransportError(
        .controllerMissing,
        "this machine has no USB device controller (/sys/class/udc is empty). A Raspberry Pi Zero, 4 or 5 has one when "
            + "dtoverlay=dwc2,dr_mode=peripheral is in /boot/firmware/config.txt and it has been restarted; for other "
            + "boards see docs/guide/usb.md. An ordinary PC has none: there, be the host of the cable")
}
