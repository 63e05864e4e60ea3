/// Figures of a set of measurements.
enum Statistics {
    /// The value that `percent` of `values` do not exceed (nearest rank); NaN for none.
    static func percentile(_ values: [Double], _ percent: Double) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        let rank = Int(percent / 100 * Double(sorted.count) + 0.999_999)
        return sorted[min(sorted.count, max(1, rank)) - 1]
    }

    /// The middle one; the mean of the two in the middle.
    static func median(_ values: [Double]) -> Double {
        guard !values.isEmpty else { return .nan }
        let sorted = values.sorted()
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }

    /// One decimal, for tables.
    static func text(_ value: Double) -> String {
        guard value.isFinite else { return "–" }
        let tenths = Int(value * 10 + (value < 0 ? -0.5 : 0.5))
        return "\(tenths < 0 ? "-" : "")\(abs(tenths) / 10).\(abs(tenths) % 10)"
    }
}
