import Glibc
import Testing

@testable import TransportCore

/// What root composes, from whatever is there.
@Suite struct GadgetCompositionTests {
    private let wishes = GadgetComposition.Wishes(user: 1_000, group: 1_001, serial: "1f2e3d4c5b6a7988")
    private let gadget = "/sys/kernel/config/usb_gadget/camo"

    private func refusal(_ body: () throws(TransportError) -> Void) -> TransportError? {
        do throws(TransportError) { try body() } catch { return error }
        return nil
    }

    private func expectWhole(_ kernel: FakeGadgetKernel, sourceLocation: SourceLocation = #_sourceLocation) {
        let values = [
            "idVendor": "0x1d6b", "idProduct": "0x0104", "strings/0x409/serialnumber": wishes.serial,
            "strings/0x409/product": "camo link", "configs/c.1/MaxPower": "500", "os_desc/use": "1",
            "os_desc/qw_sign": "MSFT100",
        ]
        for (name, value) in values {
            #expect(kernel.text("\(gadget)/\(name)") == value, sourceLocation: sourceLocation)
        }
        #expect(
            kernel.target(ofLink: "\(gadget)/configs/c.1/ffs.camo") == "\(gadget)/functions/ffs.camo",
            sourceLocation: sourceLocation)
        #expect(
            kernel.target(ofLink: "\(gadget)/os_desc/c.1") == "\(gadget)/configs/c.1", sourceLocation: sourceLocation)
        let mounts = kernel.state.withLock { $0.mounts.filter { $0.type == "functionfs" } }
        let mount = FakeGadgetKernel.Mount(
            source: "camo", folder: "/dev/usb-ffs/camo", type: "functionfs", owner: wishes.user)
        #expect(mounts == [mount], sourceLocation: sourceLocation)
        #expect(kernel.owner(of: "\(gadget)/UDC") == wishes.user, sourceLocation: sourceLocation)
        // It can be served.
        kernel.serve()
        #expect(refusal { () throws(TransportError) in try USBGadgetPlace(kernel).plugIn() } == nil)
    }

    @Test func `it is composed from nothing, for one user alone`() throws {
        let kernel = FakeGadgetKernel()
        let controller = try GadgetComposition(kernel).setUp(wishes)
        #expect(controller == "fe980000.usb")
        #expect(kernel.calls.contains("mount functionfs /dev/usb-ffs/camo uid=1000,gid=1001,rmode=0500,fmode=0600"))
        #expect(kernel.calls.contains("give \(gadget)/UDC 1000:1001"))
        expectWhole(kernel)
    }

    @Test func `done again it changes nothing, also while it is served`() throws {
        let kernel = FakeGadgetKernel()
        try GadgetComposition(kernel).setUp(wishes)
        kernel.forgetCalls()
        try GadgetComposition(kernel).setUp(wishes)
        #expect(kernel.calls == [])
        kernel.serve()
        try USBGadgetPlace(kernel).plugIn()
        kernel.forgetCalls()
        let controller = try GadgetComposition(kernel).setUp(wishes)
        #expect(kernel.calls == [])
        #expect(controller == "fe980000.usb")
    }

    /// The power fails, or somebody composes by hand: after any of the calls.
    @Test func `it is mended from every half-made state`() throws {
        let whole = FakeGadgetKernel()
        try GadgetComposition(whole).setUp(wishes)
        for call in whole.calls {
            let kernel = FakeGadgetKernel()
            kernel.fail(call, EIO)
            let error = refusal { () throws(TransportError) in try GadgetComposition(kernel).setUp(wishes) }
            // systemd may have mounted configfs first; what is there in the end counts.
            #expect(error != nil || call.hasPrefix("mount configfs"), "\(call)")
            try GadgetComposition(kernel).setUp(wishes)
            expectWhole(kernel)
        }
    }

    @Test func `it is removed from every half-made state, and nothing is left`() throws {
        let whole = FakeGadgetKernel()
        try GadgetComposition(whole).setUp(wishes)
        for call in whole.calls {
            let kernel = FakeGadgetKernel()
            kernel.fail(call, EIO)
            _ = refusal { () throws(TransportError) in try GadgetComposition(kernel).setUp(wishes) }
            _ = try GadgetComposition(kernel).remove()
            #expect(kernel.leftOver == [], "\(call)")
            let isAny = try GadgetComposition(kernel).remove()
            #expect(!isAny)
        }
    }

    @Test func `it is removed while it is served, and composed again under the program that holds the old one`() throws
    {
        let kernel = FakeGadgetKernel()
        var chosen = wishes
        chosen.controller = "fe980000.usb"
        try GadgetComposition(kernel).setUp(chosen)
        kernel.serve()
        try USBGadgetPlace(kernel).plugIn()
        let isAny = try GadgetComposition(kernel).remove()
        #expect(isAny)
        #expect(kernel.leftOver == [])
        try GadgetComposition(kernel).setUp(wishes)
        expectWhole(kernel)
    }

    @Test func `what was changed by hand is put right, and it is on the cable again`() throws {
        let kernel = FakeGadgetKernel()
        try GadgetComposition(kernel).setUp(wishes)
        kernel.serve()
        try USBGadgetPlace(kernel).plugIn()
        try kernel.write("0x1234", to: "\(gadget)/idVendor")
        try kernel.removeFile("\(gadget)/os_desc/c.1")
        try GadgetComposition(kernel).setUp(wishes)
        #expect(kernel.text("\(gadget)/UDC") == "fe980000.usb")
        expectWhole(kernel)
    }

    @Test func `another user gets it when nobody serves it`() throws {
        let kernel = FakeGadgetKernel()
        var before = wishes
        (before.user, before.group) = (33, 33)
        try GadgetComposition(kernel).setUp(before)
        kernel.serve()
        try USBGadgetPlace(kernel).plugIn()
        let busy = refusal { () throws(TransportError) in try GadgetComposition(kernel).setUp(wishes) }
        #expect(busy?.code == .busy)
        #expect(busy?.message.contains("end that program") == true)
        #expect(kernel.text("\(gadget)/UDC") == "fe980000.usb")
        kernel.endServing()
        try GadgetComposition(kernel).setUp(wishes)
        expectWhole(kernel)
    }

    @Test func `another controller is moved to, and the first free one when none is wished any more`() throws {
        let kernel = FakeGadgetKernel(["a.usb", "b.usb"])
        try GadgetComposition(kernel).setUp(wishes)
        kernel.serve()
        try USBGadgetPlace(kernel).plugIn()
        var moved = wishes
        moved.controller = "b.usb"
        let controller = try GadgetComposition(kernel).setUp(moved)
        #expect(controller == "b.usb")
        #expect(kernel.text("\(gadget)/UDC") == "b.usb")
        try GadgetComposition(kernel).setUp(wishes)
        #expect(kernel.text("/run/camo-usb-gadget") == nil)
    }

    @Test func `without a controller, or with one that is taken, nothing is made`() throws {
        for (kernel, code) in [
            (FakeGadgetKernel([]), TransportError.Code.controllerMissing),
            (
                {
                    let kernel = FakeGadgetKernel()
                    kernel.composeOther("keyboard", "fe980000.usb")
                    return kernel
                }(), .busy
            ),
        ] {
            let before = kernel.leftOver
            let error = refusal { () throws(TransportError) in try GadgetComposition(kernel).setUp(wishes) }
            #expect(error?.code == code)
            #expect(kernel.leftOver == before)
        }
        // Whatever else it lacks.
        let error = refusal { () throws(TransportError) in
            try GadgetComposition(FakeGadgetKernel([], hasModule: false)).setUp(wishes)
        }
        #expect(error?.code == .controllerMissing)
        var named = wishes
        named.controller = "c.usb"
        let kernel = FakeGadgetKernel(["a.usb", "b.usb"])
        let unknown = refusal { () throws(TransportError) in try GadgetComposition(kernel).setUp(named) }
        #expect(unknown?.message.contains("no USB device controller c.usb here. There is: a.usb, b.usb") == true)
    }

    @Test func `what the kernel lacks is said`() throws {
        func message(_ kernel: FakeGadgetKernel) -> String {
            refusal { () throws(TransportError) in try GadgetComposition(kernel).setUp(wishes) }?.message ?? ""
        }
        #expect(message(FakeGadgetKernel(hasModule: false)).contains("sudo modprobe libcomposite"))

        let bare = FakeGadgetKernel()
        bare.fail("mount configfs", EPERM)
        #expect(message(bare).contains("sudo mount -t configfs none /sys/kernel/config"))

        let noFunction = FakeGadgetKernel()
        noFunction.fail("makeFolder \(gadget)/functions/ffs.camo", ENOENT)
        #expect(message(noFunction).contains("usb_f_fs"))

        let refused = FakeGadgetKernel()
        refused.fail("mount functionfs", EPERM)
        #expect(message(refused).contains("can't mount the FunctionFS at /dev/usb-ffs/camo"))
        #expect(message(refused) == "")
    }
}
