internal import DeviceCore

/// When a device that is not open is tried again, and what is told of it.
///
/// A value: what happened goes in, how long to wait comes out; an arrival ends each wait.
struct ReopenSchedule: Sendable {
    /// From one try to the next where `/dev` does not tell when it is time: another program lets go of the device, the
    /// signal comes back.
    static let interval = Microseconds.seconds(Int64(1))
    /// For what `/dev` tells, in case it does not: a sound server begins, a folder is not the kernel's own.
    static let patience = Microseconds.seconds(Int64(30))
    /// How long udev may take to give group and mode to a node that has come. A try within this time that fails is no
    /// news.
    static let settling = Microseconds.milliseconds(500)

    let tellsArrivals: Bool
    private var arrival: MonotonicTime?
    private var told: String?

    init(tellsArrivals: Bool) { self.tellsArrivals = tellsArrivals }

    /// A device has come, this one or another.
    mutating func arrived(at now: MonotonicTime) { arrival = now }

    mutating func opened() { (arrival, told) = (nil, nil) }

    /// It could not be opened, or is lost.
    ///
    /// - Returns: Whether to tell so, which the same trouble is not twice in a row, and how long to wait.
    mutating func failed(_ error: DeviceError, at now: MonotonicTime) -> (isTold: Bool, wait: Microseconds) {
        if let arrival, now - arrival < Self.settling { return (false, Self.settling - (now - arrival)) }
        arrival = nil
        defer { told = error.description }
        return (told != error.description, wait(after: error))
    }

    private func wait(after error: DeviceError) -> Microseconds {
        switch error.code {
        case .notFound, .permissionDenied: tellsArrivals ? Self.patience : Self.interval
        default: Self.interval
        }
    }
}
