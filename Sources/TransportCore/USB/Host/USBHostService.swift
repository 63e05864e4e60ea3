package import CamoTypes
package import Confinement
package import Dispatch

/// The host's end of every cable with one of ours at the other: opens each device that comes, gets a link from it, and
/// another one when that is over.
///
/// Unchecked: what follows "On the queue" is touched only on `queue`.
package final class USBHostService: @unchecked Sendable {
    package enum Event: Sendable {
        /// A link has begun; it isn't opened yet.
        case opened(USBLink)
        /// A device was pulled out; its name.
        case left(String)
        /// A device that was plugged in can't be used, or not by this program, and why; told once for each plugging in.
        case failed(TransportError)
    }

    private let program: DeviceRole?
    private let queue: DispatchQueue
    private let events: @Sendable (Event) -> Void

    // MARK: On the queue

    private var bus: USBHostBus?
    private var devices: [String: Attachment] = [:]
    private var isStopped = false

    /// One device that is plugged in. Unchecked: used on `queue` alone.
    private final class Attachment: @unchecked Sendable {
        let device: USBDevice
        var pipe: USBHostPipe?
        var port: USBPort?
        var recovery = USBRecovery()
        var backoff = Backoff()
        /// Counts what is waited for: a timer that was set for something earlier does nothing.
        var wait = 0
        /// A reminder of an unanswered `begin` is due.
        var begun: MonotonicTime?
        var isFailureTold = false
        /// A rung of the ladder is waited for.
        var isRepairing = false

        init(_ device: USBDevice) { self.device = device }
    }

    private let clock: any MonotonicClock

    /// - Parameters:
    ///   - program: What devices are told that this end is: one of the same kind is refused. Nil: they are told nothing.
    ///   - queue: Serial; where `events` is called.
    ///   - clock: Another one for tests.
    ///   - events: Told in order.
    package init(
        _ program: DeviceRole? = nil, on queue: DispatchQueue, clock: any MonotonicClock = SystemClock(),
        events: @escaping @Sendable (Event) -> Void
    ) {
        (self.program, self.queue, self.clock, self.events) = (program, queue, clock, events)
    }

    /// Begins to look for devices. On the queue.
    package func start() throws(TransportError) {
        bus = try USBHostBus(on: queue) { [weak self] event in self?.happened(event) }
    }

    /// Lets go of all devices. On the queue.
    ///
    /// - Parameter done: Called on the queue when all are free.
    package func stop(_ done: @escaping @Sendable () -> Void) {
        isStopped = true
        bus = nil
        let group = DispatchGroup()
        for attachment in devices.values { detach(attachment, group) }
        devices = [:]
        group.notify(queue: queue, execute: done)
    }

    private func happened(_ event: USBHostBus.Event) {
        guard !isStopped else { return }
        switch event {
        case .arrived(let device):
            // libusb tells of one twice that comes while it is being asked for all that are there.
            if let old = devices[device.name] {
                guard old.device.pointer != device.pointer else { return }
                detach(old, nil)
            }
            let attachment = Attachment(device)
            devices[device.name] = attachment
            attach(attachment)
        case .left(let name):
            guard let attachment = devices.removeValue(forKey: name) else { return }
            detach(attachment, nil)
            events(.left(name))
        }
    }

    private func detach(_ attachment: Attachment, _ group: DispatchGroup?) {
        attachment.wait += 1
        guard let port = attachment.port else { return }
        attachment.port = nil
        group?.enter()
        port.close { group?.leave() }
    }

    private func attach(_ attachment: Attachment) {
        do throws(TransportError) {
            let pipe = try USBHostPipe(attachment.device)
            let port = USBPort(pipe, role: .host, program: program, on: queue) { [weak self, weak attachment] event in
                guard let self, let attachment else { return }
                happened(event, attachment)
            }
            (attachment.pipe, attachment.port) = (pipe, port)
            port.activate()
        } catch {
            tell(error, attachment)
            // Another program may end; udev sets permissions a moment after the device is there.
            tryAgain(attachment) { service, attachment in service.attach(attachment) }
        }
    }

    /// One that has been unplugged leaves, and comes again as another device. One that the kernel has sent to sleep is
    /// still there: its transfers have ended as if it had gone, and only another handle has others.
    private func openAgain(_ attachment: Attachment) {
        guard let port = attachment.port else { return }
        (attachment.port, attachment.pipe, attachment.isRepairing) = (nil, nil, false)
        attachment.wait += 1
        port.close { [weak self, queue] in
            queue.async { [weak self] in
                guard let self, !self.isStopped, self.devices[attachment.device.name] === attachment else { return }
                self.tryAgain(attachment) { service, attachment in service.attach(attachment) }
            }
        }
    }

    private func happened(_ event: USBPort.Event, _ attachment: Attachment) {
        guard !isStopped, attachment.port != nil else { return }
        switch event {
        case .enabled: begin(attachment)
        case .opened(let link):
            attachment.wait += 1
            attachment.recovery.succeeded()
            attachment.backoff.reset()
            attachment.isFailureTold = false
            events(.opened(link))
        // A repair begins another one.
        case .over where attachment.isRepairing: break
        case .over: tryAgain(attachment) { service, attachment in service.begin(attachment) }
        case .alike(let program): tell(USBIdentity.alike(program, at: attachment.device.name), attachment)
        case .faulty: repair(attachment)
        case .starved(isLast: false): attachment.pipe?.restart()
        case .starved(isLast: true):
            tell(USBMemory.exhausted(attachment.device.name), attachment)
            tryAgain(attachment) { _, attachment in attachment.pipe?.restart() }
        case .disabled(let error):
            tell(error, attachment)
            openAgain(attachment)
        }
    }

    private func begin(_ attachment: Attachment) {
        attachment.port?.begin(nonce: UInt64.random(in: 0...UInt64.max))
        attachment.begun = clock.now
        remindLater(attachment)
    }

    private func remindLater(_ attachment: Attachment) {
        after(USBRecovery.reminderInterval, attachment) { service, attachment in
            guard let begun = attachment.begun, attachment.port?.remind() == true else { return }
            guard service.clock.now - begun < USBRecovery.patience else { return service.repair(attachment) }
            service.remindLater(attachment)
        }
    }

    private func repair(_ attachment: Attachment) {
        // Several transfers fail at once.
        guard !attachment.isRepairing else { return }
        attachment.isRepairing = true
        let (step, pause) = attachment.recovery.failed()
        after(pause, attachment) { service, attachment in
            attachment.isRepairing = false
            switch step {
            case .repair(let repair): attachment.pipe?.repair(repair)
            case .giveUp:
                let advice = "Does its program still run? Unplug the cable and plug it in again"
                service.tell(
                    TransportError(.timedOut, "\(attachment.device.name) does not answer. \(advice)"), attachment)
            }
        }
    }

    private func tell(_ error: TransportError, _ attachment: Attachment) {
        guard !attachment.isFailureTold else { return }
        attachment.isFailureTold = true
        events(.failed(error))
    }

    /// After a while, longer each time until a link opens.
    private func tryAgain(
        _ attachment: Attachment, _ body: @escaping @Sendable (USBHostService, Attachment) -> Void
    ) {
        after(attachment.backoff.take(random: .random(in: 0...1)), attachment, body)
    }

    private func after(
        _ delay: Microseconds, _ attachment: Attachment,
        _ body: @escaping @Sendable (USBHostService, Attachment) -> Void
    ) {
        attachment.wait += 1
        let wait = attachment.wait
        queue.asyncAfter(deadline: .now() + .microseconds(Int(delay.count))) { [weak self] in
            guard let self, !isStopped, attachment.wait == wait else { return }
            body(self, attachment)
        }
    }
}
