internal import Confinement
internal import DeviceCore
internal import MediaCore

/// Makes pictures of what a camera sends, or passes on what it has coded itself; broken ones are dropped and counted,
/// and told once a second at most.
final class PictureUnpacking: Sendable {
    typealias OnUnit = @Sendable (AccessUnit, CodedPictureFormat) -> Void

    private let onFrame: @Sendable (VideoFrame) -> Void
    private let onUnit: OnUnit?
    private let wantsDecoded: @Sendable () -> Bool
    private let onComplaint: @Sendable (String) -> Void
    private let clock: any MonotonicClock
    /// On the capture's thread only, which the lock shows to the compiler.
    private let state: Locked<State>

    private struct State {
        var jpegs = JPEGDecoder()
        var coded: CodedPictures
        var complaints = Complaints()
        var thinning: PictureThinning?
    }

    /// - Parameters:
    ///   - rate: Pictures a second at most; nil: all that come. What comes as H.264 is never left out.
    ///   - onFrame: On the capture's thread.
    ///   - onUnit: Nil: what comes as H.264 is decoded.
    ///   - wantsDecoded: On the capture's thread: what comes as H.264 is decoded now.
    ///   - onComplaint: On the capture's thread: one line for people.
    ///   - clock: For the time between complaints.
    init(
        atMost rate: Double? = nil, onFrame: @escaping @Sendable (VideoFrame) -> Void, onUnit: OnUnit? = nil,
        wantsDecoded: @escaping @Sendable () -> Bool = { false }, onComplaint: @escaping @Sendable (String) -> Void,
        clock: any MonotonicClock = SystemClock()
    ) {
        (self.onFrame, self.onUnit, self.onComplaint, self.clock) = (onFrame, onUnit, onComplaint, clock)
        self.wantsDecoded = wantsDecoded
        state = Locked(
            State(
                coded: CodedPictures(isDecoded: onUnit == nil), thinning: rate.map { PictureThinning(atMost: $0) }))
    }

    /// What leads up to the unit that was passed on last, from its keyframe on (``CodedPictures/sinceKeyframe``). Any
    /// thread; not while a picture is unpacked.
    var passedSinceKeyframe: [AccessUnit] { state.withLock { $0.coded.sinceKeyframe } }

    @Sendable func deliver(_ picture: CapturedPicture) {
        // Before it is decoded.
        if let time = picture.timeWhereSparable, state.withLock({ $0.thinning?.takes(time) == false }) { return }
        switch picture {
        case .frame(let frame): onFrame(frame)
        case .compressed(let coded):
            let wantsDecoded = wantsDecoded()
            let (outputs, complaint) = state.withLock { state -> ([CodedPictures.Output], String?) in
                do throws(MediaError) {
                    return (try Self.unpack(coded, wantsDecoded, &state), nil)
                } catch {
                    return ([], state.complaints.line(about: error.description, at: clock.now))
                }
            }
            for output in outputs {
                switch output {
                case .frame(let frame): onFrame(frame)
                case .unit(let unit, let format): onUnit?(unit, format)
                }
            }
            if let complaint { onComplaint(complaint) }
        }
    }

    private static func unpack(
        _ picture: CompressedFrame, _ wantsDecoded: Bool, _ state: inout State
    ) throws(MediaError) -> [CodedPictures.Output] {
        if picture.format == .h264 { return try state.coded.take(picture, wantsDecoded: wantsDecoded) }
        let jpegs = state.jpegs
        return [
            .frame(
                try picture.withBytes { bytes throws(MediaError) in
                    try jpegs.decode(bytes, at: picture.presentationTime)
                })
        ]
    }
}

extension CapturedPicture {
    /// When it was taken, of one that others do not refer to.
    fileprivate var timeWhereSparable: MonotonicTime? {
        switch self {
        case .frame(let frame): frame.presentationTime
        case .compressed(let coded): coded.format == .h264 ? nil : coded.presentationTime
        }
    }
}

/// Counts pictures that are left out, and says so once a second at most.
private struct Complaints {
    private var count = 0
    private var last: MonotonicTime?

    mutating func line(about reason: String, at now: MonotonicTime) -> String? {
        count += 1
        if let last, now - last < .seconds(Int64(1)) { return nil }
        last = now
        return "a picture is left out, the \(Self.ordinal(count)) of this camera: \(reason)"
    }

    private static func ordinal(_ number: Int) -> String {
        switch (number % 10, number % 100) {
        case (_, 11...13): "\(number)th"
        case (1, _): "\(number)st"
        case (2, _): "\(number)nd"
        case (3, _): "\(number)rd"
        default: "\(number)th"
        }
    }
}
