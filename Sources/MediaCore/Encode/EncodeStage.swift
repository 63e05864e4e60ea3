package import CamoTypes

/// One encode: pictures as they come from a source in, access units of one definition out.
///
/// Converts, follows changes of size, colour and frame rate by opening its encoder anew, makes keyframes when they
/// are due, and keeps the rate by the clock. Opens nothing until the first picture.
///
/// Not thread-safe: it lives on its own serial queue.
package final class EncodeStage {
    package struct Settings: Hashable, Sendable {
        package var definition: Definition
        /// Pictures are fitted into it, which is turned with them; nil: the definition's own.
        package var box: PixelSize?
        package var framesPerSecond: Double
        package var bitsPerSecond: Int
        package var preset: String
        package var threads: Int
        package var rotation: FrameConverter.Rotation
        package var isMirrored: Bool

        /// What is asked for in a smaller definition; nil where it is none on offer here.
        package func lowered(to lower: Definition) -> Settings? {
            guard lower != definition else { return self }
            guard lower < definition, box.map({ lower.box.area < $0.area }) ?? true else { return nil }
            var settings = self
            settings.definition = lower
            settings.box = nil
            settings.bitsPerSecond = min(bitsPerSecond, lower.nominalBitsPerSecond)
            return settings
        }

        /// What is on offer, the smallest first; the last is what it is set for.
        package var definitions: [Definition] { Definition.allCases.filter { lowered(to: $0) != nil } }

        package init(
            definition: Definition, box: PixelSize? = nil, framesPerSecond: Double = 30, bitsPerSecond: Int? = nil,
            preset: String = "superfast", threads: Int = 1, rotation: FrameConverter.Rotation = .none,
            isMirrored: Bool = false
        ) {
            self.definition = definition
            self.box = box
            self.framesPerSecond = framesPerSecond
            self.bitsPerSecond = bitsPerSecond ?? definition.nominalBitsPerSecond
            self.preset = preset
            self.threads = threads
            self.rotation = rotation
            self.isMirrored = isMirrored
        }

        /// What the encoder will be asked for a source of `size`.
        package func encoderSettings(for size: PixelSize, color: ColorDescription = .convertedBGRA)
            -> VideoEncoderSettings
        {
            let box = box ?? definition.box
            return VideoEncoderSettings(
                size: FrameConverter.outputSize(
                    for: size, rotation: rotation,
                    within: rotation.swapsSides ? PixelSize(width: box.height, height: box.width) : box),
                framesPerSecond: framesPerSecond, bitsPerSecond: bitsPerSecond, preset: preset, threads: threads,
                color: color)
        }
    }

    /// What came of one picture.
    package struct Output: Sendable {
        package var unit: AccessUnit
        /// What the stream carries from this unit on, when that changed: it is to be told before the unit is.
        package var newFormat: VideoStreamFormat?
        /// What was encoded, in I420: lower definitions scale from it.
        package var picture: VideoFrame
    }

    package private(set) var settings: Settings
    /// Of the access units; nil before the first.
    package private(set) var format: VideoStreamFormat?
    /// How often the encoder was opened: 1, then once more for each change of size, colour or frame rate.
    package private(set) var openings = 0

    private let choice: EncoderChoice
    private var encoder: (any VideoEncoder)?
    private var kind: EncoderKind?
    private var converter: FrameConverter?
    private var schedule = KeyframeSchedule()
    private var scaling: RateScaling

    package init(_ settings: Settings, choice: EncoderChoice = EncoderChoice()) {
        self.settings = settings
        self.choice = choice
        scaling = RateScaling(
            wantedBitsPerSecond: settings.bitsPerSecond, declaredFramesPerSecond: settings.framesPerSecond)
    }

    /// The next picture that may be one (``KeyframeSchedule``) becomes a keyframe.
    package func requestKeyframe() { schedule.keyframeRequested() }

    /// Bits per second by the clock, from the next picture on.
    package func setBitRate(_ bitsPerSecond: Int) {
        settings.bitsPerSecond = bitsPerSecond
        scaling.rateChanged(to: bitsPerSecond)
    }

    /// Pictures are fitted into `box`, nil for the definition's own, from the next one on. It is a keyframe where that
    /// changes its size.
    package func setDefinition(_ definition: Definition, box: PixelSize?) {
        settings.definition = definition
        settings.box = box
    }

    /// What the encoder spends, from the next picture on, which is a keyframe.
    package func setPreset(_ preset: String) {
        guard preset != settings.preset else { return }
        settings.preset = preset
        encoder = nil
    }

    /// Presets mean something to the encoder that is open.
    package var heedsPresets: Bool { kind.map { !$0.needsTrial } ?? false }

    /// The time line begins anew: the next picture is a keyframe.
    package func beginAnew() { schedule.encoderReopened() }

    /// Whether a picture that is encoded now may be a keyframe, if one is asked for.
    package func canMakeKeyframe(at clockTime: MonotonicTime) -> Bool { schedule.isSpaced(at: clockTime) }

    /// Turned, mirrored, scaled and brought to the encoder's layout: what ``encode(converted:at:clockTime:)`` takes.
    package func convert(_ frame: VideoFrame) throws(MediaError) -> VideoFrame {
        try converter(for: frame.size).convert(frame)
    }

    /// Scaled to what ``convert(_:)`` would make of its source: a picture that another stage with the same rotation has
    /// converted already.
    package func rescale(_ picture: VideoFrame) throws(MediaError) -> VideoFrame {
        let isTurned = settings.rotation.swapsSides
        let source = isTurned ? PixelSize(width: picture.size.height, height: picture.size.width) : picture.size
        return try FrameConverter(size: settings.encoderSettings(for: source).size).convert(picture)
    }

    /// Converts and encodes.
    package func encode(
        _ frame: VideoFrame, at time: MonotonicTime, clockTime: MonotonicTime? = nil
    ) throws(MediaError) -> Output {
        try encode(converted: convert(frame), at: time, clockTime: clockTime)
    }

    /// - Parameters:
    ///   - picture: From ``convert(_:)``.
    ///   - time: When the picture was taken; strictly later than the one before, or a discontinuity.
    ///   - clockTime: Now, for the spacing of keyframes; nil: `time`. They differ where a picture is sent once more:
    ///     its own time hardly moves.
    package func encode(
        converted picture: VideoFrame, at time: MonotonicTime, clockTime: MonotonicTime? = nil
    ) throws(MediaError) -> Output {
        var isNew = try follow(picture)
        switch scaling.pictureArrived(at: time) {
        case .setBitRate(let rate, let bufferBits): try encoder?.setBitRate(rate, bufferBits: bufferBits)
        case .reopen:
            encoder = nil
            isNew = try follow(picture)
        case nil: break
        }
        guard let encoder else { throw MediaError(.internal, "no encoder is open") }
        let isKeyframe = schedule.pictureArrived(at: clockTime ?? time)
        do throws(MediaError) {
            let unit = try encoder.encode(picture, at: time, isKeyframe: isKeyframe)
            return Output(unit: unit, newFormat: isNew ? format : nil, picture: picture)
        } catch {
            // Where another can take its place, this picture is its first.
            guard let kind, choice.hasFailed(kind, error) else { throw error }
            self.encoder = nil
            return try encode(converted: picture, at: time, clockTime: clockTime)
        }
    }

    /// Lets the encoder go, with its memory; the next picture opens another and is a keyframe.
    package func close() {
        encoder = nil
        converter = nil
    }

    private func converter(for source: PixelSize) -> FrameConverter {
        let size = settings.encoderSettings(for: source).size
        if let converter, converter.size == size { return converter }
        let new = FrameConverter(size: size, rotation: settings.rotation, isMirrored: settings.isMirrored)
        converter = new
        return new
    }

    /// Opens an encoder for `picture` unless the one that is open fits.
    private func follow(_ picture: VideoFrame) throws(MediaError) -> Bool {
        if let open = encoder?.settings, open.size == picture.size, open.color == picture.color { return false }
        var wanted = settings.encoderSettings(for: picture.size, color: picture.color)
        wanted.size = picture.size
        wanted.framesPerSecond = scaling.declaredFramesPerSecond
        // The old one goes first: two at once would double the memory.
        encoder = nil
        (encoder, kind) = try choice.open(wanted)
        openings += 1
        schedule.encoderReopened()
        scaling.encoderReopened(framesPerSecond: wanted.framesPerSecond)
        format = VideoStreamFormat(
            size: wanted.size, framesPerSecond: wanted.framesPerSecond, color: wanted.color,
            definition: settings.definition)
        return true
    }
}
