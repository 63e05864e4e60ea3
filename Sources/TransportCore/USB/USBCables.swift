package import CamoTypes
package import Confinement
package import Dispatch

/// All cables of a program, at whichever end of them it is: tells of each link that begins.
///
/// Unchecked: the services are touched only on `queue`.
package final class USBCables: @unchecked Sendable {
    package enum Event: Sendable {
        /// A link has begun; it isn't opened yet.
        case opened(USBLink)
        /// The cable of that name, which is the address of its links, was pulled out.
        case out(String)
        /// Something that was plugged in, or set up, can't be used; everything else goes on.
        case failed(TransportError)
    }

    private let program: DeviceRole
    private let role: USBRole
    private let directory: String
    private let queue: DispatchQueue
    private let clock: any MonotonicClock
    private let events: @Sendable (Event) -> Void
    private var host: USBHostService?
    private var gadget: USBGadgetKeeper?

    /// - Parameters:
    ///   - program: Whose they are: what the other ends are told.
    ///   - role: Which ends of a cable it serves.
    ///   - directory: Where the FunctionFS of the gadget is mounted.
    ///   - queue: Serial; where `events` is called.
    ///   - events: Told in order.
    package init(
        of program: DeviceRole, _ role: USBRole, directory: String, on queue: DispatchQueue, clock: any MonotonicClock,
        events: @escaping @Sendable (Event) -> Void
    ) {
        (self.program, self.role, self.directory) = (program, role, directory)
        (self.queue, self.clock, self.events) = (queue, clock, events)
    }

    /// Begins to serve. On the queue.
    ///
    /// - Throws: What hinders a role that was asked for by name. With `auto` a computer without USB is none the worse.
    package func start() throws(TransportError) {
        switch role {
        case .off: break
        case .host: try startHost()
        case .gadget:
            do throws(TransportError) {
                try beginGadget()
            } catch {
                gadget?.stop {}
                gadget = nil
                throw error
            }
        case .auto:
            try? startHost()
            do throws(TransportError) {
                try beginGadget()
            } catch  where !isNobodysTrouble(error) {
                // Not within the caller's call: it holds what `events` asks for.
                queue.async { [events] in events(.failed(error)) }
            } catch {
                // It may come to be set up, or be let go of by the other program.
            }
        }
    }

    /// Lets go of all cables. On the queue.
    ///
    /// - Parameter done: Called on the queue when all are free.
    package func stop(_ done: @escaping @Sendable () -> Void) {
        let group = DispatchGroup()
        if let host {
            group.enter()
            host.stop { group.leave() }
        }
        if let gadget {
            group.enter()
            gadget.stop { group.leave() }
        }
        (host, gadget) = (nil, nil)
        group.notify(queue: queue, execute: done)
    }

    private func startHost() throws(TransportError) {
        let host = USBHostService(program, on: queue, clock: clock) { [role, events] event in
            switch event {
            case .opened(let link): events(.opened(link))
            case .left(let name): events(.out(name))
            // Who else uses a cable is nobody's trouble where nobody asked for cables.
            case .failed(let error) where role == .auto && error.code == .busy: break
            case .failed(let error): events(.failed(error))
            }
        }
        try host.start()
        self.host = host
    }

    /// Serves the gadget, or waits for it where this throws.
    private func beginGadget() throws(TransportError) {
        let gadget = USBGadgetKeeper(program, directory, on: queue) { [events] event in
            switch event {
            case .opened(let link): events(.opened(link))
            case .out(let name): events(.out(name))
            case .failed(let error): events(.failed(error))
            }
        } failed: { [weak self] error in
            guard let self, !isNobodysTrouble(error) else { return }
            events(.failed(error))
        }
        self.gadget = gadget
        try gadget.start()
    }

    /// Where nobody asked for a cable: there is no gadget, or it is another user's, or another program serves it.
    private func isNobodysTrouble(_ error: TransportError) -> Bool {
        role == .auto && [.gadgetMissing, .noPermission, .busy].contains(error.code)
    }
}
