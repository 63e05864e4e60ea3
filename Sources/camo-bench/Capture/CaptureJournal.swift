import CamoTypes
import Confinement
import MediaCore
import TransportCore

/// What became of each picture and when, from the driver's hands to the link.
final class CaptureJournal: Sendable {
    struct Picture: Sendable {
        /// VIDIOC_DQBUF has handed it over.
        var taken: MonotonicTime
        /// In and out of the encoder.
        var encoding: MonotonicTime?
        var encoded: MonotonicTime?
        /// Before its first byte was handed to the link, after its last was taken.
        var firstByte: MonotonicTime?
        var lastByte: MonotonicTime?
    }

    private struct State {
        var pictures: [MonotonicTime: Picture] = [:]
        /// What is being written, and how much of it is to come: pictures go out one after the other.
        var writing: (stamp: MonotonicTime, left: Int)?
    }

    private let state = Locked(State())

    /// Those that went out whole, in order.
    var pictures: [Picture] {
        state.withLock { $0.pictures.values.filter { $0.lastByte != nil } }.sorted { $0.taken < $1.taken }
    }

    /// Pictures that were taken in that time, sent or not.
    func count(from begin: MonotonicTime, to end: MonotonicTime) -> Int {
        state.withLock { $0.pictures.values.count { $0.taken >= begin && $0.taken < end } }
    }

    func taken(_ stamp: MonotonicTime, at now: MonotonicTime) {
        state.withLock { $0.pictures[stamp] = Picture(taken: now) }
    }

    func encoded(_ stamp: MonotonicTime, from begin: MonotonicTime, to end: MonotonicTime, bytes: Int) {
        state.withLock { state in
            state.pictures[stamp]?.encoding = begin
            state.pictures[stamp]?.encoded = end
            state.writing = (stamp, bytes)
        }
    }

    /// Headers and encryption make what is written a little more than the picture: its last bytes are counted as gone a
    /// few bytes early, within the same call.
    func wrote(_ count: Int, from begin: MonotonicTime, to end: MonotonicTime) {
        state.withLock { state in
            guard let (stamp, left) = state.writing else { return }
            if state.pictures[stamp]?.firstByte == nil { state.pictures[stamp]?.firstByte = begin }
            state.writing = left > count ? (stamp, left - count) : nil
            if left <= count { state.pictures[stamp]?.lastByte = end }
        }
    }
}

/// libx264, which notes when it began and ended.
final class TimedEncoder: VideoEncoder {
    private let inner: any VideoEncoder
    private let journal: CaptureJournal
    private let clock = SystemClock()

    static func kind(_ journal: CaptureJournal) -> EncoderKind {
        EncoderKind(
            name: EncoderKind.x264.name, needsTrial: false,
            look: { (settings) throws(MediaError) in try EncoderKind.x264.probe(settings) },
            make: { (settings) throws(MediaError) in
                TimedEncoder(try EncoderKind.x264.open(settings), journal)
            })
    }

    private init(_ inner: any VideoEncoder, _ journal: CaptureJournal) { (self.inner, self.journal) = (inner, journal) }

    var abilities: VideoEncoderAbilities { inner.abilities }
    var settings: VideoEncoderSettings { inner.settings }

    func encode(_ picture: VideoFrame, at time: MonotonicTime, isKeyframe: Bool) throws(MediaError) -> AccessUnit {
        let begin = clock.now
        let unit = try inner.encode(picture, at: time, isKeyframe: isKeyframe)
        journal.encoded(time, from: begin, to: clock.now, bytes: unit.bytes.count)
        return unit
    }

    func setBitRate(_ bitsPerSecond: Int, bufferBits: Int) throws(MediaError) {
        try inner.setBitRate(bitsPerSecond, bufferBits: bufferBits)
    }
}
