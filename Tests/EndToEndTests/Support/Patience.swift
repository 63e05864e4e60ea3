import Foundation

/// How long a test waits. Every limit goes through here: under emulation (the guest) and under sanitizers everything
/// takes a multiple, which `CAMO_TEST_TIME_FACTOR` names once.
enum Patience {
    static let factor: Double = {
        guard let text = ProcessInfo.processInfo.environment["CAMO_TEST_TIME_FACTOR"] else { return 1 }
        return max(1, Double(text) ?? 1)
    }()

    static func scaled(_ limit: Duration) -> Duration { limit * factor }

    /// Memory: a sanitizer surrounds every allocation with some of its own.
    static func scaled(kilobytes: Int) -> Int { Int(Double(kilobytes) * factor) }
}
