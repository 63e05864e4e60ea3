import Testing
import TransportCore

@testable import Diagnosis

@Suite struct USBCheckTests {
    private func device(_ set: (inout USBInspection) -> Void) -> Check {
        var view = MachineView()
        set(&view.usb)
        return USBChecks.device(view, .studio)
    }

    private func host(isRoot: Bool = false, _ set: (inout USBInspection) -> Void) -> Check {
        var view = MachineView()
        view.user = .init(isRoot: isRoot)
        view.usb.isHost = true
        set(&view.usb)
        return USBChecks.host(view)
    }

    private let free = [USBInspection.Controller("fe980000.usb")]
    private let taken = [USBInspection.Controller("fe980000.usb", holder: "g_ether")]

    /// A PC.
    @Test func `a machine without a controller lacks nothing`() {
        let check = device { _ in }
        #expect(check.outcome == .ok)
        #expect(check.remedy == nil)
        let pi = device { $0.board = "Raspberry Pi Zero 2 W Rev 1.0" }
        #expect(pi.outcome == .ok)
        #expect(pi.remedy?.contains("dtoverlay=dwc2,dr_mode=peripheral") == true)
    }

    @Test func `the gadget is not set up, half set up, another user's, usable, served`() {
        let setUp = "sudo camo-studio usb-gadget setup --user \"$USER\""
        let outcomes: [(USBInspection.Gadget, Check.Outcome, String?)] = [
            (.absent, .warning, setUp), (.unmounted, .missing, setUp), (.refused, .missing, setUp),
            (.usable(controller: nil), .ok, nil), (.usable(controller: "fe980000.usb"), .ok, nil),
        ]
        for (gadget, outcome, remedy) in outcomes {
            let check = device { ($0.controllers, $0.gadget) = (free, gadget) }
            #expect(check.outcome == outcome)
            #expect(check.remedy == remedy)
        }
    }

    @Test func `another gadget that has the controller is named`() {
        for gadget in [USBInspection.Gadget.absent, .usable(controller: nil)] {
            let check = device { ($0.controllers, $0.gadget) = (taken, gadget) }
            #expect(check.outcome == .warning)
            #expect(check.text.contains("in use by the gadget g_ether"))
        }
        let second = device { ($0.controllers, $0.gadget) = (taken + [.init("b.usb")], .usable(controller: nil)) }
        #expect(second.outcome == .ok)
        #expect(second.text.contains("b.usb is free"))
    }

    @Test func `a host needs the rule, unless this is root`() {
        let without = host { _ in }
        #expect(without.outcome == .warning)
        #expect(without.remedy?.contains(USBIdentity.udevRule) == true)
        #expect(without.remedy?.contains("sudo tee /etc/udev/rules.d/70-camo-usb.rules") == true)
        #expect(host(isRoot: true) { _ in }.outcome == .ok)
        #expect(host { $0.isRuleInstalled = true }.outcome == .ok)
        #expect(host { $0.isHost = false }.outcome == .ok)
    }

    @Test func `a device on a cable that is refused`() {
        let paths = ["/dev/bus/usb/001/007"]
        let check = host { ($0.devices, $0.refusedDevices) = (paths, paths) }
        #expect(check.outcome == .missing)
        #expect(check.text.contains(paths[0]))
        #expect(check.remedy?.contains("70-camo-usb.rules") == true)
        let group = host { ($0.devices, $0.refusedDevices, $0.isRuleInstalled) = (paths, paths, true) }
        #expect(group.remedy?.contains("usermod -aG plugdev") == true)
        let fine = host { ($0.devices, $0.isRuleInstalled) = (paths, true) }
        #expect(fine.text.contains(paths[0]))
        #expect(fine.outcome == .ok)
    }

    @Test func `libusb that cannot be used, and too little memory for transfers`() {
        let problem = host { $0.hostProblem = TransportError(.system, "can't use USB: Other error") }
        #expect(problem.outcome == .missing)
        #expect(problem.text == "can't use USB: Other error")

        let devices = (7..<12).map { "/dev/bus/usb/001/0\($0)" }
        let little = host {
            ($0.devices, $0.isRuleInstalled, $0.transferMemory) = (devices, true, 1 << 20)
        }
        #expect(little.outcome == .warning)
        #expect(little.text.contains("1024 KiB in USB transfers; these need 1280 KiB"))
        let enough = host { ($0.devices, $0.isRuleInstalled, $0.transferMemory) = (devices, true, 16 << 20) }
        #expect(enough.outcome == .ok)
    }
}
