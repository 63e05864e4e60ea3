import Glibc
import Testing

@testable import TransportCore

/// What a program that serves the gadget does to be on the cable, and what it is told where that is not possible.
@Suite struct GadgetPlugTests {
    private func composed(
        _ controllers: [String] = ["fe980000.usb"], on controller: String? = nil
    ) throws -> (FakeGadgetKernel, USBGadgetPlace) {
        let kernel = FakeGadgetKernel(controllers)
        let wishes = GadgetComposition.Wishes(user: 1_000, group: 1_000, serial: "1f2e", controller: controller)
        try GadgetComposition(kernel).setUp(wishes)
        return (kernel, USBGadgetPlace(kernel))
    }

    private func refusal(_ place: USBGadgetPlace) -> TransportError? {
        do throws(TransportError) { try place.plugIn() } catch { return error }
        return nil
    }

    @Test func `it is plugged in once it is served, and each time anew after the program has ended`() throws {
        let (kernel, place) = try composed()
        for _ in 0..<3 {
            let early = refusal(place)
            #expect(early?.code == .gadgetMissing)
            #expect(early?.message.contains("no program serves /dev/usb-ffs/camo") == true)
            kernel.serve()
            try place.plugIn()
            #expect(kernel.text(USBGadgetPlace.binding) == "fe980000.usb")
            // Nothing happens to it when it is there.
            kernel.forgetCalls()
            try place.plugIn()
            #expect(kernel.calls == [])
            kernel.endServing()
            #expect(kernel.text(USBGadgetPlace.binding) == "")
        }
    }

    @Test func `the first controller that nobody has is taken, or the one that setup was given`() throws {
        let (kernel, place) = try composed(["a.usb", "b.usb"])
        kernel.composeOther("keyboard", "a.usb")
        kernel.serve()
        try place.plugIn()
        #expect(kernel.text(USBGadgetPlace.binding) == "b.usb")

        let (other, otherPlace) = try composed(["a.usb", "b.usb"], on: "b.usb")
        other.serve()
        try otherPlace.plugIn()
        #expect(other.text(USBGadgetPlace.binding) == "b.usb")
    }

    @Test func `a gadget that is not set up, and one of another user, are said with the command that mends it`() throws
    {
        let missing = refusal(USBGadgetPlace(FakeGadgetKernel()))
        #expect(missing?.code == .gadgetMissing)
        #expect(missing?.message.contains("sudo camo-producer usb-gadget setup --user") == true)

        let (kernel, place) = try composed()
        kernel.serve()
        kernel.fail("write fe980000.usb", EACCES)
        let refused = refusal(place)
        #expect(refused?.code == .noPermission)
        #expect(refused?.message.contains("sudo camo-producer usb-gadget setup --user") == true)
    }

    @Test func `a machine without a controller is told what boards need`() throws {
        let (kernel, place) = try composed()
        kernel.serve()
        kernel.state.withLock { state in
            state.nodes = state.nodes.filter { !$0.key.hasPrefix("/sys/class/udc/") }
        }
        let none = refusal(place)
        #expect(none?.code == .controllerMissing)
        #expect(none?.message.contains("dtoverlay=dwc2,dr_mode=peripheral") == true)
    }

    @Test func `a controller that another gadget has is said with its name`() throws {
        let (kernel, place) = try composed()
        kernel.serve()
        kernel.composeOther("keyboard", "fe980000.usb")
        let busy = refusal(place)
        #expect(busy?.code == .busy)
        #expect(busy?.message.contains("by the gadget keyboard") == true)
        #expect(busy?.message.contains("echo '' | sudo tee /sys/kernel/config/usb_gadget/keyboard/UDC") == true)

        let (second, secondPlace) = try composed()
        second.serve()
        second.loadLegacyGadget("g_ether", "fe980000.usb")
        #expect(refusal(secondPlace)?.message.contains("sudo rmmod g_ether") == true)
    }

    /// Its name changes where a controller's driver is loaded again, or the overlay is another one.
    @Test func `a gadget that is bound to a controller that has gone is bound to the one that came`() throws {
        let (kernel, place) = try composed()
        kernel.serve()
        try place.plugIn()
        kernel.state.withLock { state in
            state.nodes = state.nodes.filter { !$0.key.hasPrefix("/sys/class/udc/") }
            state.nodes["/sys/class/udc/new.usb"] = .part
            state.nodes["/sys/class/udc/new.usb/function"] = .file("")
        }
        try place.plugIn()
        #expect(kernel.text(USBGadgetPlace.binding) == "new.usb")
    }
}
