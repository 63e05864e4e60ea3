internal import Confinement
internal import DeviceCore
internal import MediaCore

/// Looks for a studio's pairing code with a camera that nobody streams from.
struct PairingCodeSearch {
    /// From the call on.
    var patience = Microseconds.seconds(Int64(60))
    /// How long a picture may take.
    var pictureTime = Microseconds.seconds(Int64(10))

    let machine: any CameraMachine
    let clock: any MonotonicClock
    private let inbox = PictureInbox()
    private let isCancelled = Locked(false)

    init(machine: any CameraMachine, clock: any MonotonicClock) {
        self.machine = machine
        self.clock = clock
    }

    /// Any thread: a search that is under way, or begins, ends at once.
    func cancel() {
        isCancelled.withLock { $0 = true }
        inbox.end(DeviceError(.failed, device: "", "cancelled"))
    }

    /// Blocks until a code is in view.
    ///
    /// - Throws: ``ProducerPairingError``: several codes, none in time, cancelled; ``ProducerError``: the camera cannot be
    ///   used.
    func find(with device: VideoDevice) throws -> String {
        do {
            if isCancelled.withLock(\.self) { throw ProducerPairingError.cancelled }
            return try look(with: device)
        } catch let error as DeviceError {
            throw isCancelled.withLock(\.self) ? ProducerPairingError.cancelled : ProducerError(error)
        } catch let error as MediaError {
            throw ProducerError(error)
        }
    }

    private func look(with device: VideoDevice) throws -> String {
        let deadline = clock.now + patience
        let reader = try QRReader()
        let unpacking = PictureUnpacking(onFrame: inbox.put, onComplaint: { _ in })
        // What a code needs; the last of it is read with ease, and more are not looked at in time.
        let wish = CameraWish(framesPerSecond: 10)
        let capture = try machine.capture(device, wish: wish, onPicture: unpacking.deliver, onLost: inbox.end)
        defer { capture.stop() }
        while true {
            let left = deadline - clock.now
            switch inbox.next(within: min(left, pictureTime)) {
            case .picture(let frame):
                if let code = try PairingCodeReader.code(among: reader.texts(in: frame)) { return code }
                if clock.now < deadline { continue }
            case .lost(let error): throw error
            case .nothing where left > pictureTime:
                throw DeviceError(.stalled, device: device.path, "it was opened, but no picture came")
            case .nothing: break
            }
            throw ProducerPairingError.timedOut(
                "no pairing code came into view of \(device.name) in \(patience.count / 1_000_000) s: show it the code of "
                    + "'camo-studio pair', closer and without reflections")
        }
    }
}
