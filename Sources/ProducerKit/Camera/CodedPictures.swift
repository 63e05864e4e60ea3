internal import DeviceCore
internal import MediaCore

/// What an H.264 camera sends: passed on as it is while keyframes come often enough, else decoded.
///
/// What is passed on begins with a keyframe, and again after each picture that was lost: without it the next ones would
/// be torn. The pictures since the last keyframe are kept, so that decoding can begin at once where it must.
///
/// Used by the capture's thread.
struct CodedPictures {
    enum Output {
        case unit(AccessUnit, CodedPictureFormat)
        case frame(VideoFrame)
    }

    /// All pictures are decoded, always: something is to be done to them.
    private let isDecoded: Bool
    /// They are decoded for now: a picture that was not is missing in what is passed on.
    private var isDecodedNow: Bool
    private var splitter = AccessUnitSplitter()
    private var spacing = KeyframeSpacing()
    private var decoder: H264Decoder?
    private var needsKeyframe = true
    /// What was passed on since the last keyframe, with it: decoded in a row it gives the last of these pictures. Empty
    /// where that would be too much, and where pictures are decoded anyway.
    private(set) var sinceKeyframe: [AccessUnit] = []
    private var byteCount = 0

    /// Of two seconds at 16 Mb/s; a camera that sends more is decoded from its next keyframe on.
    private static let mostBytes = 4 << 20

    init(isDecoded: Bool) { (self.isDecoded, isDecodedNow) = (isDecoded, isDecoded) }

    /// - Parameters:
    ///   - picture: One access unit (the V4L2 manual on V4L2_PIX_FMT_H264).
    ///   - wantsDecoded: Coded pictures are of no use now; from the next keyframe on after they are again, they are
    ///     passed on.
    /// - Throws: ``MediaError`` when it cannot be read or decoded; the next keyframe may be.
    mutating func take(_ picture: CompressedFrame, wantsDecoded: Bool = false) throws(MediaError) -> [Output] {
        if picture.isAfterLoss { needsKeyframe = true }
        var units: [AccessUnit] = []
        do throws(MediaError) {
            units = try picture.withBytes { [time = picture.presentationTime] bytes throws(MediaError) in
                try splitter.append(bytes, at: time)
            }
        } catch {
            (splitter, needsKeyframe) = (AccessUnitSplitter(), true)
            throw error
        }
        // A buffer ends where its picture ends.
        if let last = splitter.finish() { units.append(last) }
        var outputs: [Output] = []
        for unit in units { outputs += try take(unit, wantsDecoded, fallback: picture) }
        return outputs
    }

    private mutating func take(
        _ unit: AccessUnit, _ wantsDecoded: Bool, fallback: CompressedFrame
    ) throws(MediaError) -> [Output] {
        if unit.isKeyframe { needsKeyframe = false }
        guard !needsKeyframe, let parameters = splitter.parameters else { return [] }
        let wasDecoded = isDecodedNow
        spacing.note(isKeyframe: unit.isKeyframe, at: unit.presentationTime)
        if isDecoded || wantsDecoded || spacing.isTooLong {
            isDecodedNow = true
        } else if unit.isKeyframe {
            isDecodedNow = false
        }
        guard isDecodedNow else {
            keep(unit)
            return [
                .unit(
                    unit,
                    CodedPictureFormat(
                        size: parameters.size, framesPerSecond: parameters.framesPerSecond ?? fallback.framesPerSecond,
                        color: parameters.color))
            ]
        }
        if !wasDecoded { try catchUp() }
        return try decode(unit).map { [.frame($0)] } ?? []
    }

    private mutating func keep(_ unit: AccessUnit) {
        if unit.isKeyframe { (sinceKeyframe, byteCount) = ([], 0) }
        guard unit.isKeyframe || !sinceKeyframe.isEmpty else { return }
        byteCount += unit.bytes.count
        sinceKeyframe.append(unit)
        if byteCount > Self.mostBytes { (sinceKeyframe, byteCount) = ([], 0) }
    }

    /// What was passed on since the last keyframe is what the next pictures refer to.
    private mutating func catchUp() throws(MediaError) {
        for unit in sinceKeyframe { _ = try decode(unit) }
        (sinceKeyframe, byteCount) = ([], 0)
    }

    private mutating func decode(_ unit: AccessUnit) throws(MediaError) -> VideoFrame? {
        if decoder == nil { decoder = try H264Decoder() }
        switch decoder?.decode(unit) {
        case .picture(let frame): return frame
        case .broken(let error), .refused(let error): throw error
        case .waitingForKeyframe, nil: return nil
        }
    }
}
