internal import CamoTypes

/// The times of a live stream's pictures: the first has 0, and each is later than the one before, whatever the source's
/// clock does.
struct LiveTimeline {
    /// What has time 0 now.
    private(set) var start = MonotonicTime(microseconds: 0)
    private var last: Int64 = -1

    /// The time of the next picture, in ``Muxer/pictureTicks``.
    mutating func ticks(_ unit: AccessUnit) -> Int64 {
        if last < 0 { start = unit.presentationTime }
        var ticks = RecordingFile.ticks(unit.presentationTime - start)
        let isJump =
            unit.isDiscontinuity || ticks < last - Muxer.pictureTicks || ticks > last + 600 * Muxer.pictureTicks
        if last >= 0, isJump || ticks <= last {
            // A picture that is a little late follows at once; another time line goes on where this one ended.
            let next = last + (isJump ? Muxer.pictureTicks / 30 : 1)
            if isJump { start = unit.presentationTime - Microseconds(next * 100 / 9) }
            ticks = next
        }
        last = ticks
        return ticks
    }
}
