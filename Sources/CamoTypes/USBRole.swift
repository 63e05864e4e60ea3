/// Which end of a USB cable a program takes.
public enum USBRole: String, CaseIterable, Sendable {
    /// Both, as far as this computer can: the host of what is plugged into it, and a gadget where one is set up.
    case auto
    /// What is plugged into this computer.
    case host
    /// This computer is what is plugged in: it needs a device controller, and a gadget that was set up.
    case gadget
    /// USB is left alone.
    case off
}
