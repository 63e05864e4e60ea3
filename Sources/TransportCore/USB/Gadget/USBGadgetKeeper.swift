package import CamoTypes
internal import Confinement
package import Dispatch
internal import Glibc

/// Serves the gadget as long as it is set up: from the moment that root has composed it, and again when it was taken away
/// and composed anew. What hinders is tried again.
///
/// Unchecked: everything is touched only on `queue`.
package final class USBGadgetKeeper: @unchecked Sendable {
    /// One life of the gadget: ``USBGadgetService`` on a FunctionFS, plugged in. Tests have another.
    struct Life {
        /// - Throws: What hinders; then nothing has begun.
        var start: () throws(TransportError) -> Void
        /// What it serves has been taken away: nobody will ever see it.
        var isOrphaned: () -> Bool
        /// The closure is called on the queue when it is off the cable.
        var stop: (@escaping @Sendable () -> Void) -> Void
    }

    private let queue: DispatchQueue
    private let absence: () -> TransportError?
    private let make: () -> Life
    private let later: (Microseconds, @escaping @Sendable () -> Void) -> Void
    private let failed: @Sendable (TransportError) -> Void

    private var watch: MountWatch?
    private var life: Life?
    private var backoff = Backoff()
    /// What was told last, until something begins.
    private var told: TransportError?
    private var isStopped = false
    /// An old life is being ended.
    private var isEnding = false
    /// Of the latest timer: earlier ones mean nothing.
    private var turn = 0

    /// - Parameters:
    ///   - program: As of the service.
    ///   - directory: Where the FunctionFS is mounted, or will be. Another one than ``USBGadgetPlace/directory`` is for
    ///     somebody else to plug in.
    ///   - queue: Serial; where `events` and `failed` are called.
    ///   - events: As of the service.
    ///   - failed: Told once what hinders; it is tried again all the same.
    package convenience init(
        _ program: DeviceRole? = nil, _ directory: String = USBGadgetPlace.directory, on queue: DispatchQueue,
        events: @escaping @Sendable (USBGadgetService.Event) -> Void,
        failed: @escaping @Sendable (TransportError) -> Void
    ) {
        self.init(
            on: queue, absence: { FunctionFSMount.absence(at: directory) },
            make: { Self.life(program, directory, queue, events) },
            later: { delay, body in
                queue.asyncAfter(deadline: .now() + .microseconds(Int(delay.count)), execute: body)
            }, failed: failed)
    }

    init(
        on queue: DispatchQueue, absence: @escaping () -> TransportError?, make: @escaping () -> Life,
        later: @escaping (Microseconds, @escaping @Sendable () -> Void) -> Void,
        failed: @escaping @Sendable (TransportError) -> Void
    ) {
        (self.queue, self.absence, self.make, self.later, self.failed) = (queue, absence, make, later, failed)
    }

    private static func life(
        _ program: DeviceRole?, _ directory: String, _ queue: DispatchQueue,
        _ events: @escaping @Sendable (USBGadgetService.Event) -> Void
    ) -> Life {
        let service = USBGadgetService(program, on: queue, events: events)
        // Before it is opened: what is mounted afterwards is another one.
        let mount = FunctionFSMount(directory)
        return Life(
            start: { () throws(TransportError) in
                try service.start(directory)
                guard directory == USBGadgetPlace.directory else { return }
                do throws(TransportError) {
                    try USBGadgetPlace().plugIn()
                } catch {
                    service.stop {}
                    throw error
                }
            }, isOrphaned: { FunctionFSMount(directory) != mount }, stop: { service.stop($0) })
    }

    /// Serves it if it is set up, and else as soon as it is. On the queue, once.
    ///
    /// - Throws: What hinders now, which is not told by `failed` as well: `gadgetMissing` where it is not set up,
    ///   `noPermission` where it is another user's. It is waited for all the same, until `stop`.
    package func start() throws(TransportError) {
        // Without a watch it is as it was found.
        watch = try? MountWatch(on: queue) { [weak self] in self?.look() }
        if let error = absence() { throw error }
        if let error = begin() {
            told = error
            throw error
        }
    }

    /// Takes the device off the cable. On the queue, once.
    ///
    /// - Parameter done: Called on the queue when it is off.
    package func stop(_ done: @escaping @Sendable () -> Void) {
        isStopped = true
        watch = nil
        guard let life else { return queue.async(execute: done) }
        self.life = nil
        life.stop(done)
    }

    /// Something was mounted or unmounted, or it is time for another try. On the queue.
    func look() {
        guard !isStopped, !isEnding else { return }
        if let life {
            guard life.isOrphaned() else { return }
            self.life = nil
            isEnding = true
            return life.stop { [weak self] in
                self?.isEnding = false
                self?.look()
            }
        }
        guard absence() == nil, let error = begin(), error != told else { return }
        told = error
        failed(error)
    }

    /// - Returns: What hinders.
    private func begin() -> TransportError? {
        turn += 1
        let life = make()
        do throws(TransportError) {
            try life.start()
            self.life = life
            backoff.reset()
            told = nil
            return nil
        } catch {
            let thisTurn = turn
            later(backoff.take(random: .random(in: 0...1))) { [weak self] in
                guard let self, turn == thisTurn else { return }
                look()
            }
            return error
        }
    }
}

/// Which FunctionFS is mounted at a place, of all that ever were.
private struct FunctionFSMount: Equatable {
    private let device: dev_t
    private let file: ino_t

    /// Why there is none for this user.
    static func absence(at directory: String) -> TransportError? {
        guard FunctionFSMount(directory) == nil else { return nil }
        let number = errno
        return number == EACCES ? USBGadgetPlace.notForThisUser("use the USB gadget", number) : USBGadgetPlace.notSetUp
    }

    init?(_ directory: String) {
        var status = stat()
        guard stat(directory + "/ep0", &status) == 0 else { return nil }
        (device, file) = (status.st_dev, status.st_ino)
    }
}
