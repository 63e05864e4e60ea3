internal import CUSB
internal import Confinement
internal import Dispatch

/// Tells of devices with our interface as they come and go, by libusb's hot-plug, which hears of them from udev.
final class USBHostBus: Sendable {
    enum Event: Sendable {
        case arrived(USBDevice)
        /// Any device: where it was, as ``USBDevice/name``.
        case left(String)
    }

    private let context: USBContext
    private let registration: libusb_hotplug_callback_handle

    /// Tells of what is there and from then on of what comes.
    ///
    /// - Parameters:
    ///   - queue: Serial; where `events` is called.
    ///   - events: Told in order.
    init(on queue: DispatchQueue, events: @escaping @Sendable (Event) -> Void) throws(TransportError) {
        let context = try USBContext()
        let listener = HotplugListener(queue, events)
        context.keep(listener)
        listener.context.withLock { $0.context = context }
        var registration: libusb_hotplug_callback_handle = 0
        let either = LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED.rawValue | LIBUSB_HOTPLUG_EVENT_DEVICE_LEFT.rawValue
        let any = LIBUSB_HOTPLUG_MATCH_ANY
        let result = libusb_hotplug_register_callback(
            context.pointer, Int32(either), Int32(LIBUSB_HOTPLUG_ENUMERATE.rawValue), any, any, any, hotplugged,
            Unmanaged.passUnretained(listener).toOpaque(), &registration)
        guard result == 0 else { throw TransportError(usb: result, "can't hear of USB devices") }
        (self.context, self.registration) = (context, registration)
    }

    deinit { libusb_hotplug_deregister_callback(context.pointer, registration) }
}

/// What the callback is given.
private final class HotplugListener: Sendable {
    struct Owner {
        weak var context: USBContext?
    }

    let context = Locked(Owner())
    private let queue: DispatchQueue
    private let events: @Sendable (USBHostBus.Event) -> Void

    init(_ queue: DispatchQueue, _ events: @escaping @Sendable (USBHostBus.Event) -> Void) {
        self.queue = queue
        self.events = events
    }

    /// On the context's thread, or in the registration: nothing here may wait for the device.
    func happened(_ pointer: OpaquePointer, isArrival: Bool) {
        if isArrival {
            guard let context = context.withLock({ $0.context }), let device = USBDevice(pointer, context) else {
                return
            }
            queue.async { [events] in events(.arrived(device)) }
        } else {
            let name = USBDevice.name(of: pointer)
            queue.async { [events] in events(.left(name)) }
        }
    }
}

private func hotplugged(
    _: OpaquePointer?, device: OpaquePointer?, event: libusb_hotplug_event, listener: UnsafeMutableRawPointer?
) -> Int32 {
    guard let device, let listener else { return 0 }
    Unmanaged<HotplugListener>.fromOpaque(listener).takeUnretainedValue()
        .happened(device, isArrival: event == LIBUSB_HOTPLUG_EVENT_DEVICE_ARRIVED)
    // Anything else would end the registration.
    return 0
}
