/// What is written to ep0 of a FunctionFS before it can be used: our interface at three speeds, what Windows wants to
/// know of it, and its name (Documentation/usb/functionfs.rst; linux/usb/functionfs.h draws both formats).
enum FunctionFSDescriptors {
    /// Flags of `usb_functionfs_descs_head_v2`: full, high and super speed, and Microsoft's descriptors.
    private static let flags: UInt32 = 1 | 2 | 4 | 8
    private static let descriptorsMagic: UInt32 = 3
    private static let stringsMagic: UInt32 = 2
    private static let englishUS: UInt16 = 0x0409

    static var descriptors: [UInt8] {
        // One interface and two endpoints; at super speed each endpoint has a companion. One for Windows.
        let counts: [UInt32] = [3, 3, 5, 1]
        let speeds =
            interface + endpoints(64, isSuper: false) + interface + endpoints(512, isSuper: false)
            + interface + endpoints(1_024, isSuper: true)
        let body = counts.flatMap { little($0) } + speeds + compatibleID
        return little(descriptorsMagic) + little(UInt32(12 + body.count)) + little(flags) + body
    }

    static var strings: [UInt8] {
        let name = Array(USBIdentity.interfaceName.utf8) + [0]
        let body = little(UInt32(1)) + little(UInt32(1)) + little(englishUS) + name
        return little(stringsMagic) + little(UInt32(8 + body.count)) + body
    }

    /// USB 2.0, 9.6.5. Number and string index are filled in by the kernel: 0 and 1 are ours.
    private static let interface: [UInt8] = [
        9, 4, 0, 0, 2, USBIdentity.interfaceClass, USBIdentity.interfaceSubclass, USBIdentity.interfaceProtocol, 1,
    ]

    /// USB 2.0, 9.6.6; USB 3.2, 9.6.7. The first reads from us, the second writes to us.
    private static func endpoints(_ packetSize: Int, isSuper: Bool) -> [UInt8] {
        let bulk: UInt8 = 2
        // Bursts of 16 packets, the most there is.
        let companion: [UInt8] = isSuper ? [6, 0x30, 15, 0, 0, 0] : []
        return [0x81, 0x02].flatMap { [7, 5, $0, bulk] + little(UInt16(packetSize)) + [0] + companion }
    }

    /// So that Windows takes its WinUSB driver by itself (Microsoft OS 1.0 Descriptors, extended compat ID).
    private static var compatibleID: [UInt8] {
        let id = Array("WINUSB".utf8) + [0, 0]
        let function: [UInt8] = [0, 1] + id + [UInt8](repeating: 0, count: 8 + 6)
        let headerByteCount = 11
        return [0] + little(UInt32(headerByteCount + function.count)) + little(UInt16(1)) + little(UInt16(4)) + [1, 0]
            + function
    }

    private static func little(_ value: some FixedWidthInteger) -> [UInt8] {
        withUnsafeBytes(of: value.littleEndian) { Array($0) }
    }
}
