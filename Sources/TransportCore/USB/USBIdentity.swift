internal import CamoTypes

/// By what the two ends know each other before a byte has gone over the cable: never by vendor and product.
package enum USBIdentity {
    /// Vendor-specific (USB's list of class codes).
    static let interfaceClass: UInt8 = 0xFF
    static let interfaceSubclass: UInt8 = 0x43
    static let interfaceProtocol: UInt8 = 0x01
    /// The interface's string; the number is that of the chunks and the messages of the link.
    static let interfaceName = "camo link 1"
    /// Of a device that nobody gave its own: the Linux Foundation's multifunction composite gadget.
    static let vendor: UInt16 = 0x1D6B
    static let product: UInt16 = 0x0104
    /// wMaxPacketSize of a bulk endpoint at full, high and super speed (USB 2.0, 5.8.3; USB 3.2, 9.6.6).
    static let packetSizes: Set<Int> = [64, 512, 1_024]
    /// Lets ordinary users open our devices: whoever sits at the machine (udev(7); systemd's uaccess), and the group that
    /// Debian has for devices that are plugged in, for machines that nobody sits at.
    package static let udevRule =
        #"SUBSYSTEM=="usb", ENV{ID_USB_INTERFACES}=="*:ff4301:*", MODE="0660", GROUP="plugdev", TAG+="uaccess""#
    /// Before 73-seat-late.rules, which obeys the tag.
    package static let udevRulePath = "/etc/udev/rules.d/70-camo-usb.rules"

    /// The programs at both ends of a cable are of one kind.
    static func alike(_ program: DeviceRole, at cable: String) -> TransportError {
        let (wanted, command) = program == .studio ? ("producer", "camo-producer") : ("studio", "camo-studio")
        return TransportError(
            .sameKind,
            "the other end of the cable (\(cable)) is a \(program.rawValue) too. One of the two has to be a \(wanted): "
                + "run \(command) there")
    }
}
