internal import WireProtocol

/// What this machine has of a USB cable, at either end, looked at without making or mending anything.
package struct USBInspection: Hashable, Sendable {
    package struct Controller: Hashable, Sendable {
        package var name: String
        /// The gadget of somebody else that has it.
        package var holder: String?
        package init(_ name: String, holder: String? = nil) { (self.name, self.holder) = (name, holder) }
    }

    package enum Gadget: Hashable, Sendable {
        case absent
        /// It is composed, and there is no FunctionFS for programs to serve.
        case unmounted
        /// It is another user's.
        case refused
        /// - Parameter controller: That it is bound to: a program serves it.
        case usable(controller: String?)
    }

    // MARK: To be the device

    /// Device controllers.
    package var controllers: [Controller] = []
    package var gadget = Gadget.absent
    /// What the board calls itself; nil: it is none that says so.
    package var board: String?

    // MARK: To be the host

    /// It has sockets for devices.
    package var isHost = false
    /// Why USB devices cannot be spoken to at all.
    package var hostProblem: TransportError?
    package var isRuleInstalled = false
    /// Bytes that all programs together may have in transfers; nil: any number, or not known.
    package var transferMemory: Int?
    /// The files of devices of ours that are on a cable now.
    package var devices: [String] = []
    /// Of those, the ones that this user may not open.
    package var refusedDevices: [String] = []

    package init() {}

    /// What one cable takes of `transferMemory`: all transfers that the host keeps in flight.
    package static let cableMemory = 2 * BulkDepth.underWay * USBChunk.transferByteCount
}

extension USBInspection {
    package static func inspect() -> USBInspection { inspect(MachineGadgetSystem()) { probeHost() } }

    /// - Parameter host: Tries to use USB as a host: why that is not possible.
    static func inspect(_ system: any GadgetSystem, host: () -> TransportError?) -> USBInspection {
        var inspection = USBInspection()
        let controllers = GadgetControllers(system: system)
        inspection.controllers = controllers.names.map { Controller($0, holder: controllers.holder(of: $0)) }
        inspection.gadget = gadget(system)
        // Ends with a zero byte (devicetree specification, 2.3.2).
        inspection.board = system.text("/proc/device-tree/model").map { String($0.prefix { $0 != "\0" }) }

        inspection.isHost = system.names(in: devices).contains { $0.hasPrefix("usb") }
        guard inspection.isHost else { return inspection }
        inspection.hostProblem = host()
        inspection.isRuleInstalled = isRuleInstalled(system)
        let megabytes = system.text("/sys/module/usbcore/parameters/usbfs_memory_mb").flatMap { Int($0) }
        // 0: no limit (drivers/usb/core/devio.c).
        inspection.transferMemory = megabytes.flatMap { $0 > 0 ? $0.multipliedReportingOverflow(by: 1 << 20) : nil }
            .flatMap { $0.overflow ? nil : $0.partialValue }
        inspection.devices = attached(system)
        inspection.refusedDevices = inspection.devices.filter { !system.mayUse($0) }
        return inspection
    }

    private static func probeHost() -> TransportError? {
        do throws(TransportError) {
            _ = try USBContext()
            return nil
        } catch {
            return error
        }
    }

    private static func gadget(_ system: any GadgetSystem) -> Gadget {
        guard system.exists(USBGadgetPlace.gadget) else { return .absent }
        guard system.exists(USBGadgetPlace.directory) else { return .unmounted }
        guard system.mayUse(USBGadgetPlace.binding) else { return .refused }
        let mounts = (system.text("/proc/self/mounts") ?? "").split(separator: "\n")
        guard mounts.contains(where: { $0.contains(" \(USBGadgetPlace.directory) functionfs ") }) else {
            return .unmounted
        }
        guard system.mayUse(USBGadgetPlace.directory + "/ep0") else { return .refused }
        return .usable(controller: USBGadgetPlace(system).boundController)
    }

    private static func isRuleInstalled(_ system: any GadgetSystem) -> Bool {
        // udev(7).
        ["/etc", "/run", "/usr/local/lib", "/usr/lib", "/lib"].map { $0 + "/udev/rules.d" }.contains { folder in
            system.names(in: folder).contains { name in
                name.hasSuffix(".rules") && system.text("\(folder)/\(name)")?.contains("*:ff4301:*") == true
            }
        }
    }

    // MARK: Devices

    private static let devices = "/sys/bus/usb/devices"

    /// By the interface, as everywhere: `1-2:1.0` is one of the device `1-2`.
    private static func attached(_ system: any GadgetSystem) -> [String] {
        let wanted = [
            "bInterfaceClass": USBIdentity.interfaceClass, "bInterfaceSubClass": USBIdentity.interfaceSubclass,
            "bInterfaceProtocol": USBIdentity.interfaceProtocol,
        ]
        return system.names(in: devices).filter { name in
            wanted.allSatisfy { attribute, value in
                system.text("\(devices)/\(name)/\(attribute)").flatMap { UInt8($0, radix: 16) } == value
            }
        }.compactMap { name in
            let folder = "\(devices)/\(name.prefix { $0 != ":" })"
            guard let bus = system.text(folder + "/busnum").flatMap({ UInt8($0) }),
                let address = system.text(folder + "/devnum").flatMap({ UInt8($0) })
            else { return nil }
            return USBDevice.path(bus: bus, address: address)
        }
    }
}
