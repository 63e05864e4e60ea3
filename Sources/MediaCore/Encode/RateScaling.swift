package import CamoTypes

/// Makes an encoder that counts pictures keep a rate in bits per second.
///
/// x264 without delay takes every picture to last 1 / declared frame rate, whatever its time stamp says. A camera that
/// falls from 30 to 12 pictures a second in dim light would then use 40 % of its rate, and one at 60 twice of it. So
/// the encoder is told `wanted * declared / measured`. Where the two differ by more than a factor of two for two
/// seconds, the picture's own rate is declared anew: the encoder has to be opened again.
///
/// A value: times in, actions out.
package struct RateScaling: Sendable {
    package enum Action: Hashable, Sendable {
        /// Tell the encoder this rate and this buffer.
        case setBitRate(bitsPerSecond: Int, bufferBits: Int)
        /// Open the encoder anew with this frame rate; the next picture is a keyframe.
        case reopen(framesPerSecond: Double)
    }

    /// Rate is measured over the pictures of the last second, at least over four intervals.
    private static let window = Microseconds.seconds(1 as Int64)
    private static let leastIntervals = 4
    private static let mostIntervals = 256
    /// A longer gap is a pause, not a frame rate.
    private static let longestInterval = Microseconds.seconds(2 as Int64)
    private static let patience = Microseconds.seconds(2 as Int64)
    /// Changes smaller than this are jitter.
    private static let tolerance = 0.05

    /// Bits per second that are to come out, by the clock.
    package private(set) var wantedBitsPerSecond: Int
    package private(set) var declaredFramesPerSecond: Double
    /// Nil until there were enough pictures.
    package private(set) var measuredFramesPerSecond: Double?

    private var times: [MonotonicTime] = []
    private var appliedFactor = 1.0
    private var isApplied = true
    private var offSince: MonotonicTime?

    package init(wantedBitsPerSecond: Int, declaredFramesPerSecond: Double) {
        self.wantedBitsPerSecond = wantedBitsPerSecond
        self.declaredFramesPerSecond = declaredFramesPerSecond
    }

    /// Room of a quarter of a second: what a stream may send ahead of its rate, and thus the delay it may cause on a
    /// link that is just fast enough.
    package static func bufferBits(for bitsPerSecond: Int) -> Int { bitsPerSecond / 4 }

    /// Another rate is wanted.
    package mutating func rateChanged(to bitsPerSecond: Int) {
        guard bitsPerSecond != wantedBitsPerSecond else { return }
        wantedBitsPerSecond = bitsPerSecond
        isApplied = false
    }

    /// A picture goes into the encoder.
    package mutating func pictureArrived(at time: MonotonicTime) -> Action? {
        measure(time)
        let factor = measuredFramesPerSecond.map { declaredFramesPerSecond / $0 } ?? 1

        if let measured = measuredFramesPerSecond, factor > 2 || factor < 0.5 {
            let since = offSince ?? time
            offSince = since
            if time - since >= Self.patience {
                encoderReopened(framesPerSecond: max(1, min(240, measured)))
                return .reopen(framesPerSecond: declaredFramesPerSecond)
            }
        } else {
            offSince = nil
        }

        let change = factor / appliedFactor
        guard !isApplied || change > 1 + Self.tolerance || change < 1 - Self.tolerance else { return nil }
        appliedFactor = factor
        isApplied = true
        let rate = Int(max(1_000, min(1e9, Double(wantedBitsPerSecond) * factor)))
        // The buffer is real bits, unscaled, but x264 wants at least a picture in it.
        let picture = Int(Double(rate) / declaredFramesPerSecond)
        return .setBitRate(
            bitsPerSecond: rate, bufferBits: max(Self.bufferBits(for: wantedBitsPerSecond), picture * 3 / 2))
    }

    /// The encoder was opened anew with the wanted rate and `framesPerSecond`.
    package mutating func encoderReopened(framesPerSecond: Double) {
        declaredFramesPerSecond = framesPerSecond
        appliedFactor = 1
        isApplied = true
        offSince = nil
    }

    private mutating func measure(_ time: MonotonicTime) {
        if let last = times.last, time <= last || time - last > Self.longestInterval {
            times = []
            offSince = nil
        }
        times.append(time)
        while times.count > Self.leastIntervals + 1, time - times[1] >= Self.window || times.count > Self.mostIntervals
        {
            times.removeFirst()
        }
        let intervals = times.count - 1
        guard intervals >= Self.leastIntervals, let first = times.first else { return }
        let length = (time - first).inSeconds
        // Half a second at least: the first pictures of a camera often come in a bunch.
        if length >= 0.5 { measuredFramesPerSecond = Double(intervals) / length }
    }
}
