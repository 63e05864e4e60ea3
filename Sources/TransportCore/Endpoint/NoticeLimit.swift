internal import CamoTypes

/// At most one line a second of what a stranger can provoke at will.
struct NoticeLimit {
    private var last: MonotonicTime?

    mutating func allows(at now: MonotonicTime) -> Bool {
        if let last, now - last < .seconds(Int64(1)) { return false }
        last = now
        return true
    }
}
