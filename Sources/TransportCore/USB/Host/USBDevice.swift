internal import CUSB
internal import Glibc

/// The one owner of a reference to a `libusb_device` that has our interface.
///
/// Unchecked: the pointer is constant, and what is asked of it libusb has in memory.
final class USBDevice: @unchecked Sendable {
    /// Where in the device the link runs, at the speed of the cable it is on.
    struct Interface: Hashable, Sendable {
        let number: Int32
        let setting: Int32
        let readEndpoint: UInt8
        let writeEndpoint: UInt8
        /// wMaxPacketSize of each.
        let readPacketSize: Int
        let writePacketSize: Int
        /// Index of its string.
        let nameIndex: UInt8
    }

    let context: USBContext
    let pointer: OpaquePointer
    let interface: Interface

    /// Nil if it has no interface of ours.
    init?(_ pointer: OpaquePointer, _ context: USBContext) {
        guard let interface = Self.interface(of: pointer) else { return nil }
        (self.context, self.interface) = (context, interface)
        self.pointer = libusb_ref_device(pointer)
    }

    deinit { libusb_unref_device(pointer) }

    /// As the kernel names it: `usb 1-2.4`.
    var name: String { Self.name(of: pointer) }

    /// Also of a device that has gone, of which nothing else can be asked.
    static func name(of device: OpaquePointer) -> String {
        var ports = [UInt8](repeating: 0, count: 7)
        let count = libusb_get_port_numbers(device, &ports, Int32(ports.count))
        let path = ports.prefix(Int(max(0, count))).map(String.init).joined(separator: ".")
        return "usb \(libusb_get_bus_number(device))-\(path)"
    }

    /// Its file, for advice: `/dev/bus/usb/001/007`.
    var path: String {
        Self.path(bus: libusb_get_bus_number(pointer), address: libusb_get_device_address(pointer))
    }

    static func path(bus: UInt8, address: UInt8) -> String {
        func padded(_ number: UInt8) -> String { String(repeating: "0", count: 3 - "\(number)".count) + "\(number)" }
        return "/dev/bus/usb/\(padded(bus))/\(padded(address))"
    }

    private static func interface(of device: OpaquePointer) -> Interface? {
        var first: UnsafeMutablePointer<libusb_config_descriptor>?
        // Of the speed the device runs at, and without asking it.
        guard libusb_get_active_config_descriptor(device, &first) == 0, let configuration = first else { return nil }
        defer { libusb_free_config_descriptor(configuration) }
        for number in 0..<Int(configuration.pointee.bNumInterfaces) {
            let settings = configuration.pointee.interface[number]
            for index in 0..<Int(settings.num_altsetting) {
                if let interface = Interface(settings.altsetting[index]) { return interface }
            }
        }
        return nil
    }
}

extension USBDevice.Interface {
    /// Nil if it is not ours: class, subclass and protocol say so, or one bulk endpoint each way is not there.
    fileprivate init?(_ descriptor: libusb_interface_descriptor) {
        guard descriptor.bInterfaceClass == USBIdentity.interfaceClass,
            descriptor.bInterfaceSubClass == USBIdentity.interfaceSubclass,
            descriptor.bInterfaceProtocol == USBIdentity.interfaceProtocol
        else { return nil }
        let endpoints = (0..<Int(descriptor.bNumEndpoints)).map { descriptor.endpoint[$0] }
            .filter { $0.bmAttributes & 3 == UInt8(LIBUSB_ENDPOINT_TRANSFER_TYPE_BULK.rawValue) }
        let isIn = { (endpoint: libusb_endpoint_descriptor) in endpoint.bEndpointAddress & 0x80 != 0 }
        guard let read = endpoints.first(where: isIn), let write = endpoints.first(where: { !isIn($0) }) else {
            return nil
        }
        self.init(
            number: Int32(descriptor.bInterfaceNumber), setting: Int32(descriptor.bAlternateSetting),
            readEndpoint: read.bEndpointAddress, writeEndpoint: write.bEndpointAddress,
            readPacketSize: Int(read.wMaxPacketSize & 0x7FF), writePacketSize: Int(write.wMaxPacketSize & 0x7FF),
            nameIndex: descriptor.iInterface)
        guard [readPacketSize, writePacketSize].allSatisfy(USBIdentity.packetSizes.contains) else { return nil }
    }
}
