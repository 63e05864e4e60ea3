/// What the gadget is made of, in the order in which it can be made (gadget_configfs.rst).
struct GadgetLayout: Sendable {
    enum Part: Hashable, Sendable {
        case folder(String)
        /// An attribute, in the spelling in which the kernel shows it.
        case value(String, at: String)
        case link(String, to: String)

        var path: String {
            switch self {
            case .folder(let path), .value(_, let path), .link(let path, _): path
            }
        }
    }

    let configurations = USBGadgetPlace.gadget + "/configs"
    let functions = USBGadgetPlace.gadget + "/functions"
    let strings = USBGadgetPlace.gadget + "/strings"
    let osDescriptors = USBGadgetPlace.gadget + "/os_desc"
    var configuration: String { configurations + "/c.1" }
    var function: String { functions + "/ffs." + USBGadgetPlace.name }
    var functionLink: String { configuration + "/ffs." + USBGadgetPlace.name }
    var mountParent: String { USBGadgetPlace.directory.parentDirectory }

    func parts(_ wishes: GadgetComposition.Wishes) -> [Part] {
        let gadget = USBGadgetPlace.gadget
        let english = "/strings/0x409"
        return [
            .folder(gadget),
            .value(Self.hexadecimal(USBIdentity.vendor), at: gadget + "/idVendor"),
            .value(Self.hexadecimal(USBIdentity.product), at: gadget + "/idProduct"),
            // Of this layout.
            .value("0x0100", at: gadget + "/bcdDevice"),
            // The kernel says more where the controller can do more (composite.c, USB_DT_DEVICE).
            .value("0x0200", at: gadget + "/bcdUSB"),
            .folder(gadget + english),
            .value("camo-producer", at: gadget + english + "/manufacturer"),
            .value("camo link", at: gadget + english + "/product"),
            .value(wishes.serial, at: gadget + english + "/serialnumber"),
            .folder(configuration),
            // Powered by the cable, with all that a USB 2.0 host can give: in mA.
            .value("0x80", at: configuration + "/bmAttributes"),
            .value("500", at: configuration + "/MaxPower"),
            .folder(configuration + english),
            .value("camo", at: configuration + english + "/configuration"),
            .folder(function),
            .link(functionLink, to: function),
            // String 0xEE, by which Windows finds out that it is to take WinUSB (Microsoft OS 1.0 Descriptors).
            .value("1", at: osDescriptors + "/use"),
            // Any below 0x80: the kernel shows others as negative numbers.
            .value("0x43", at: osDescriptors + "/b_vendor_code"),
            .value("MSFT100", at: osDescriptors + "/qw_sign"),
            .link(osDescriptors + "/c.1", to: configuration),
        ]
    }

    private static func hexadecimal(_ number: UInt16) -> String {
        let digits = String(number, radix: 16)
        return "0x" + String(repeating: "0", count: 4 - digits.count) + digits
    }
}
