/// The last delays, for a median that one late picture does not move.
struct DelayWindow: Sendable {
    private static let capacity = 120

    private var delays: [Microseconds] = []
    private var next = 0

    mutating func append(_ delay: Microseconds) {
        if delays.count < Self.capacity {
            delays.append(delay)
        } else {
            delays[next] = delay
            next = (next + 1) % Self.capacity
        }
    }

    mutating func removeAll() {
        delays.removeAll(keepingCapacity: true)
        next = 0
    }

    /// The delay that `fraction` (0 … 1) of the pictures stay within; nil when there were none.
    func quantile(_ fraction: Double) -> Microseconds? {
        guard !delays.isEmpty else { return nil }
        let index = Int(Double(delays.count - 1) * max(0, min(1, fraction)) + 0.5)
        return delays.sorted()[index]
    }
}
