/// A point on one machine's monotonic clock (Linux `CLOCK_MONOTONIC`), in microseconds.
///
/// Times of two machines are never compared directly: the session maps the sender's clock onto the receiver's.
public struct MonotonicTime: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var microseconds: Int64

    public init(microseconds: Int64) { self.microseconds = microseconds }

    public static func < (a: MonotonicTime, b: MonotonicTime) -> Bool { a.microseconds < b.microseconds }

    /// The distance from `b` to `a`; saturates instead of overflowing, since both may come from a peer.
    public static func - (a: MonotonicTime, b: MonotonicTime) -> Microseconds {
        let (value, overflow) = a.microseconds.subtractingReportingOverflow(b.microseconds)
        return Microseconds(overflow ? (a.microseconds < 0 ? .min : .max) : value)
    }

    /// This time moved by `d`; saturates instead of overflowing.
    public static func + (a: MonotonicTime, d: Microseconds) -> MonotonicTime {
        let (value, overflow) = a.microseconds.addingReportingOverflow(d.count)
        return MonotonicTime(microseconds: overflow ? (d.count < 0 ? .min : .max) : value)
    }

    public static func - (a: MonotonicTime, d: Microseconds) -> MonotonicTime {
        a + Microseconds(d.count == .min ? .max : -d.count)
    }

    public var description: String { "\(microseconds) µs" }
}

/// A length of time in whole microseconds.
public struct Microseconds: Hashable, Comparable, Sendable, CustomStringConvertible {
    public var count: Int64

    public init(_ count: Int64) { self.count = count }

    public static func milliseconds(_ n: Int64) -> Microseconds { Microseconds(n * 1_000) }
    public static func seconds(_ n: Int64) -> Microseconds { Microseconds(n * 1_000_000) }
    /// Rounded to the nearest microsecond; NaN becomes 0, values out of range saturate.
    @_disfavoredOverload  // a literal without a point means the one above
    public static func seconds(_ n: Double) -> Microseconds {
        guard !n.isNaN else { return Microseconds(0) }
        // Not `rounded()`: it would need libm, which nothing else here links.
        return Microseconds(Int64(max(-9e18, min(9e18, n * 1e6 + (n < 0 ? -0.5 : 0.5)))))
    }

    public var inSeconds: Double { Double(count) / 1e6 }
    public var inMilliseconds: Double { Double(count) / 1e3 }

    public static func < (a: Microseconds, b: Microseconds) -> Bool { a.count < b.count }
    public static let zero = Microseconds(0)

    public var description: String { "\(count) µs" }
}
