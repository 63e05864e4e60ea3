package import CamoTypes

/// When an encode makes keyframes: every two seconds by time, and on request; requests are merged so that there is at
/// most one in 500 ms.
///
/// By time, not by counting pictures: a camera in dim light would make somebody who joins wait for half a minute.
package struct KeyframeSchedule: Sendable {
    private let interval: Microseconds
    private let leastSpacing: Microseconds
    private var last: MonotonicTime?
    private var isRequested = false

    package init(interval: Microseconds = .seconds(2 as Int64), leastSpacing: Microseconds = .milliseconds(500)) {
        self.interval = interval
        self.leastSpacing = leastSpacing
    }

    package mutating func keyframeRequested() { isRequested = true }

    /// The next picture is the first of an encoder, whatever was before.
    package mutating func encoderReopened() { last = nil }

    /// Whether the last keyframe is long enough ago for another on request.
    package func isSpaced(at time: MonotonicTime) -> Bool {
        guard let last, time >= last else { return true }
        return time - last >= leastSpacing
    }

    /// A picture goes into the encoder.
    ///
    /// - Returns: Whether it is to be a keyframe.
    package mutating func pictureArrived(at time: MonotonicTime) -> Bool {
        if let last, time >= last {
            let age = time - last
            guard age >= interval || isRequested && age >= leastSpacing else { return false }
        }
        last = time
        isRequested = false
        return true
    }
}
