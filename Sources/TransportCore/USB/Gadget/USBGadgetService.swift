package import CamoTypes
package import Dispatch

/// The device's end of the cable: serves a FunctionFS, and tells of each link that a host begins.
///
/// Unchecked: `port` is touched only on `queue`.
package final class USBGadgetService: @unchecked Sendable {
    package enum Event: Sendable {
        /// A link has begun; it isn't opened yet.
        case opened(USBLink)
        /// The host has gone; the name of the cable.
        case out(String)
        /// The host can't be served, and why.
        case failed(TransportError)
    }

    private let program: DeviceRole?
    private let queue: DispatchQueue
    private let events: @Sendable (Event) -> Void
    private var port: USBPort?

    /// - Parameters:
    ///   - program: What the host is told that this end is: one of the same kind is refused. Nil: it is told nothing.
    ///   - queue: Serial; where `events` is called.
    ///   - events: Told in order.
    package init(
        _ program: DeviceRole? = nil, on queue: DispatchQueue, events: @escaping @Sendable (Event) -> Void
    ) {
        (self.program, self.queue, self.events) = (program, queue, events)
    }

    /// Begins to serve: from then on the gadget can be bound to a device controller. On the queue.
    ///
    /// - Parameter directory: Where the FunctionFS is mounted.
    package func start(_ directory: String) throws(TransportError) {
        let pipe = try FunctionFSPipe(directory)
        let port = USBPort(pipe, role: .device, program: program, on: queue) { [weak self] event in
            guard let self, let port = self.port else { return }
            switch event {
            case .opened(let link): events(.opened(link))
            case .disabled: events(.out(port.name))
            case .alike(let program): events(.failed(USBIdentity.alike(program, at: port.name)))
            case .enabled, .over, .faulty, .starved: break
            }
        }
        self.port = port
        port.activate()
    }

    /// Takes the device off the cable. On the queue.
    ///
    /// - Parameter done: Called on the queue when it is off.
    package func stop(_ done: @escaping @Sendable () -> Void) {
        guard let port else { return queue.async(execute: done) }
        self.port = nil
        port.close { [queue] in queue.async(execute: done) }
    }
}
