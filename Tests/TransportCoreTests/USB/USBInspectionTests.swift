import Testing

@testable import TransportCore

/// What `doctor` finds of a cable.
@Suite struct USBInspectionTests {
    private let wishes = GadgetComposition.Wishes(user: 1_000, group: 1_000, serial: "1f2e")

    private func inspect(_ kernel: FakeGadgetKernel, host: TransportError? = nil) -> USBInspection {
        USBInspection.inspect(kernel) { host }
    }

    private func put(_ kernel: FakeGadgetKernel, _ files: [String: String]) {
        kernel.state.withLock { state in
            for (path, text) in files { state.nodes[path] = .file(text) }
        }
    }

    /// A host, and a device of ours on its first socket.
    private func plugIn(_ kernel: FakeGadgetKernel) {
        let folder = "/sys/bus/usb/devices"
        put(
            kernel,
            [
                "\(folder)/usb1": "", "\(folder)/1-1:1.0": "", "\(folder)/1-1": "",
                "\(folder)/1-1:1.0/bInterfaceClass": "ff", "\(folder)/1-1:1.0/bInterfaceSubClass": "43",
                "\(folder)/1-1:1.0/bInterfaceProtocol": "01", "\(folder)/1-1/busnum": "1", "\(folder)/1-1/devnum": "7",
                "/dev/bus/usb/001/007": "",
            ])
    }

    @Test func `the gadget is absent, half made, another user's, usable, served`() throws {
        let kernel = FakeGadgetKernel()
        #expect(inspect(kernel).gadget == .absent)
        #expect(inspect(kernel).controllers == [USBInspection.Controller("fe980000.usb")])
        try kernel.mount("configfs", at: "/sys/kernel/config", type: "configfs", options: "")
        _ = kernel.loadModule("libcomposite")
        try kernel.makeFolder(USBGadgetPlace.gadget)
        #expect(inspect(kernel).gadget == .unmounted)
        try GadgetComposition(kernel).setUp(wishes)
        put(kernel, [USBGadgetPlace.directory + "/ep0": ""])
        kernel.state.withLock { $0.user = 33 }
        #expect(inspect(kernel).gadget == .refused)
        kernel.state.withLock { state in
            state.user = 1_000
            state.owners[USBGadgetPlace.directory + "/ep0"] = 1_000
        }
        #expect(inspect(kernel).gadget == .usable(controller: nil))
        kernel.serve()
        try USBGadgetPlace(kernel).plugIn()
        #expect(inspect(kernel).gadget == .usable(controller: "fe980000.usb"))
        // Ours is nobody else's.
        #expect(inspect(kernel).controllers == [USBInspection.Controller("fe980000.usb")])
    }

    @Test func `a controller of another gadget, and a machine with neither end`() {
        let kernel = FakeGadgetKernel()
        kernel.composeOther("keyboard", "fe980000.usb")
        #expect(inspect(kernel).controllers == [USBInspection.Controller("fe980000.usb", holder: "keyboard")])
        #expect(!inspect(kernel).isHost)
        #expect(inspect(FakeGadgetKernel([])).controllers == [])
    }

    @Test func `a board says its name`() {
        let kernel = FakeGadgetKernel()
        put(kernel, ["/proc/device-tree/model": "Raspberry Pi Zero 2 W Rev 1.0\0"])
        #expect(inspect(kernel).board == "Raspberry Pi Zero 2 W Rev 1.0")
    }

    @Test func `a device on a cable is known by its interface, and whether this user may open it`() {
        let kernel = FakeGadgetKernel()
        plugIn(kernel)
        #expect(inspect(kernel).devices == ["/dev/bus/usb/001/007"])
        #expect(inspect(kernel).refusedDevices == [])
        kernel.state.withLock { $0.user = 1_000 }
        #expect(inspect(kernel).refusedDevices == ["/dev/bus/usb/001/007"])
        put(kernel, ["/sys/bus/usb/devices/1-1:1.0/bInterfaceProtocol": "02"])
        #expect(inspect(kernel).devices == [])
    }

    @Test func `the rule is found wherever it was put, and the memory for transfers`() {
        let kernel = FakeGadgetKernel()
        plugIn(kernel)
        #expect(!inspect(kernel).isRuleInstalled)
        put(kernel, ["/usr/lib/udev/rules.d/70-camo-usb.rules": "# Ours.\n" + USBIdentity.udevRule])
        #expect(inspect(kernel).isRuleInstalled)

        let parameter = "/sys/module/usbcore/parameters/usbfs_memory_mb"
        #expect(inspect(kernel).transferMemory == nil)
        for (text, count) in [("16", 16 << 20), ("0", nil), ("99999999999999999999", nil), ("x", nil)] {
            put(kernel, [parameter: text])
            #expect(inspect(kernel).transferMemory == count)
        }
    }

    @Test func `what hinders libusb is told`() {
        let kernel = FakeGadgetKernel()
        plugIn(kernel)
        let error = TransportError(.system, "can't use USB")
        #expect(inspect(kernel, host: error).hostProblem == error)
    }
}
