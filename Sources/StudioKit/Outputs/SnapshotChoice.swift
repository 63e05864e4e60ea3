/// Which of the pictures that come becomes the snapshot. A value: pictures in, decisions out.
///
/// - One that was taken at or after the request: what is seen on a screen may be older by the delay.
/// - Not a black one, such as cameras give for some frames after they are opened, for as long as there is hope.
/// - When time is up, the best there was: a still source may never give a newer one.
struct SnapshotChoice: Sendable {
    /// How long to hope.
    static let patience = Microseconds.milliseconds(1_500)

    enum Decision: Sendable {
        case take(ReceivedFrame)
        case wait
    }

    let requestedAt: MonotonicTime
    private var best: ReceivedFrame?
    private var bestIsBlack = true

    init(requestedAt: MonotonicTime) { self.requestedAt = requestedAt }

    mutating func consider(_ frame: ReceivedFrame) -> Decision {
        let isBlack = Self.isBlack(frame.picture)
        let isFresh = frame.info.timeStamp >= requestedAt
        if isFresh, !isBlack { return .take(frame) }
        // A newer one is better, but no black one replaces a picture.
        if best == nil || !isBlack || bestIsBlack { (best, bestIsBlack) = (frame, isBlack) }
        return .wait
    }

    /// What is taken when ``patience`` is over.
    var fallback: ReceivedFrame? { best }

    /// Whether no pixel of a grid over the picture is brighter than near black. Limited or full range: black is at
    /// most 16.
    static func isBlack(_ picture: VideoFrame) -> Bool {
        guard picture.format == .i420 || picture.format == .nv12 else { return false }
        return picture.withPlanes { planes in
            guard let luma = planes.first else { return false }
            for y in stride(from: 0, to: picture.size.height, by: max(1, picture.size.height / 32)) {
                for x in stride(from: 0, to: picture.size.width, by: max(1, picture.size.width / 32))
                where luma.bytes[y * luma.stride + x] > 24 {
                    return false
                }
            }
            return true
        }
    }
}
