internal import MediaCore

/// A picture on its way to the encoder.
struct WaitingPicture {
    var frame: VideoFrame
    var stamp: PictureClock.Stamp
    /// Counts what came.
    var number: UInt64
}

/// The newest picture of a source, encoded or not, for when the source stands still: a keyframe that somebody needs is
/// made of it, and where it was left out to spare bits it is sent after all.
///
/// A value: pictures and the time in, pictures out.
struct NewestPicture {
    /// Longer without a picture than this, and the source stands still: it need not be waited for.
    static let stillness = Microseconds.milliseconds(100)
    /// How long a picture is waited for that may come by itself.
    static let patience = Microseconds.milliseconds(40)

    private var kept: Kept?
    /// How many have come.
    private(set) var count: UInt64 = 0
    /// The newest one, left out: sent after all where no other follows.
    private var spared: WaitingPicture?

    private struct Kept {
        /// Once it is converted it is kept as that, so that the source has its memory back: a 1080p frame in BGRA takes
        /// 8 MB.
        var frame: VideoFrame
        var isConverted: Bool
        let arrival: MonotonicTime
    }

    /// A picture came. Returns it with its number.
    mutating func came(_ frame: VideoFrame, _ stamp: PictureClock.Stamp, at now: MonotonicTime) -> WaitingPicture {
        count &+= 1
        kept = Kept(frame: frame, isConverted: false, arrival: now)
        spared = nil
        return WaitingPicture(frame: frame, stamp: stamp, number: count)
    }

    /// The picture that just came is left out.
    mutating func isSpared(_ picture: WaitingPicture) { spared = picture }

    /// `picture` is `converted` now.
    mutating func isConverted(_ picture: WaitingPicture, to converted: VideoFrame) {
        guard count == picture.number, let arrival = kept?.arrival else { return }
        kept = Kept(frame: converted, isConverted: true, arrival: arrival)
    }

    func isStill(at now: MonotonicTime) -> Bool { age(at: now).map { $0 >= Self.stillness } ?? false }

    /// The picture that was left out, once, where the source stands still upon it.
    mutating func takeSpared(at now: MonotonicTime) -> WaitingPicture? {
        guard isStill(at: now) else { return nil }
        defer { spared = nil }
        return spared
    }

    /// What to make a keyframe of; nil where one came a moment ago, which another will follow, or none is kept.
    func toRepeat(at now: MonotonicTime) -> (frame: VideoFrame, isConverted: Bool)? {
        guard let kept, let age = age(at: now), age >= Self.patience else { return nil }
        return (kept.frame, kept.isConverted)
    }

    /// What the source has delivered is out of date, or not needed any more.
    mutating func forget() { (kept, spared) = (nil, nil) }

    private func age(at now: MonotonicTime) -> Microseconds? { kept.map { now - $0.arrival } }
}
