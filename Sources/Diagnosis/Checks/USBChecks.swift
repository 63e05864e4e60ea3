internal import TransportCore

/// Either end of a USB cable. Most machines have only one of them, and that is how it should be.
enum USBChecks {
    // MARK: As the device

    static func device(_ view: MachineView, _ program: Examination.Program) -> Check {
        let name = "usbDevice"
        let usb = view.usb
        let setUp = "sudo \(program.rawValue) usb-gadget setup --user \"$USER\""
        guard let first = usb.controllers.first else {
            // A board that is known to have one; where it is the other way round there is nothing to be done.
            let isRaspberryPi = usb.board?.hasPrefix("Raspberry Pi") == true
            return Check(
                name, .ok, "no USB device controller: this machine can be the host of a cable, not the device",
                remedy: isRaspberryPi
                    ? "to be the device: dtoverlay=dwc2,dr_mode=peripheral in /boot/firmware/config.txt, then restart"
                    : nil)
        }
        switch usb.gadget {
        case .absent:
            return taken(name, usb)
                ?? Check(
                    name, .warning, "\(first.name) is there, and no USB gadget is set up: only needed to be the device",
                    remedy: setUp)
        case .unmounted: return Check(name, .missing, "the USB gadget has no FunctionFS to be served", remedy: setUp)
        case .refused: return Check(name, .missing, "the USB gadget is set up for another user", remedy: setUp)
        case .usable(let controller?): return Check(name, .ok, "the USB gadget is served, at \(controller)")
        case .usable(nil):
            return taken(name, usb)
                ?? Check(name, .ok, "the USB gadget is set up for this user; \(free(usb) ?? first.name) is free")
        }
    }

    private static func free(_ usb: USBInspection) -> String? { usb.controllers.first { $0.holder == nil }?.name }

    /// Nil: there is one to be had.
    private static func taken(_ name: String, _ usb: USBInspection) -> Check? {
        guard free(usb) == nil, let first = usb.controllers.first, let holder = first.holder else { return nil }
        return Check(
            name, .warning, "\(first.name) is in use by the gadget \(holder)",
            remedy: "take that one off the cable, if this machine is to be the device of these programs")
    }

    // MARK: As the host

    static func host(_ view: MachineView) -> Check {
        let name = "usbHost"
        let usb = view.usb
        guard usb.isHost else {
            return Check(name, .ok, "no USB host controller: this machine cannot be the host of a cable")
        }
        if let problem = usb.hostProblem {
            return Check(name, .missing, "\(problem)", remedy: "see whether /dev/bus/usb is there: ls -l /dev/bus/usb")
        }
        if let refused = usb.refusedDevices.first {
            return Check(
                name, .missing, "\(refused) is on a cable, and is not for this user",
                remedy: usb.isRuleInstalled ? "sudo usermod -aG plugdev \"$USER\", then log in again" : installRule)
        }
        guard usb.isRuleInstalled || view.user.isRoot else {
            return Check(
                name, .warning, "no udev rule lets this user use a device on a cable: only needed to be the host",
                remedy: installRule)
        }
        let needed = max(1, usb.devices.count) * USBInspection.cableMemory
        if let memory = usb.transferMemory, memory < needed {
            return Check(
                name, .warning,
                "all programs together may have \(kibibytes(memory)) in USB transfers; these need \(kibibytes(needed))",
                remedy: "echo 16 | sudo tee /sys/module/usbcore/parameters/usbfs_memory_mb")
        }
        guard usb.devices.isEmpty else { return Check(name, .ok, "on a cable: \(usb.devices.joined(separator: ", "))") }
        return Check(name, .ok, "this machine can be the host of a cable; nothing of these programs is on one now")
    }

    private static func kibibytes(_ count: Int) -> String { "\(count / 1_024) KiB" }

    private static let installRule =
        "echo '\(USBIdentity.udevRule)' | sudo tee \(USBIdentity.udevRulePath) && sudo udevadm control --reload "
        + "&& sudo udevadm trigger --subsystem-match=usb"
}
