internal import DeviceCore
internal import MediaCore

/// An encoder of the kernel's (``StatefulEncoder``) in the shape in which MediaCore wants encoders: what FFmpeg calls
/// `h264_v4l2m2m`. FFmpeg's own holds pictures back; this one waits for each.
final class V4L2Encoder: VideoEncoder {
    static let kind = kind(nodes: SystemVideoNodes())

    static func kind(nodes: any VideoNodes) -> EncoderKind {
        EncoderKind(
            name: "h264_v4l2m2m", needsTrial: true, isPresent: { EncoderNode.first(nodes: nodes) != nil },
            look: { _ in },
            make: { (settings) throws(MediaError) in try V4L2Encoder(settings, nodes) })
    }

    let settings: VideoEncoderSettings
    let abilities = VideoEncoderAbilities(
        inputFormats: [.i420], largestSize: .maximum, makesKeyframesOnRequest: true, changesBitRate: true)
    private let encoder: StatefulEncoder
    /// Parameter sets that the driver has sent by themselves, for the keyframes that come without.
    private var parameterSets: [UInt8] = []

    /// More than any picture takes: the driver hangs.
    private static let patience = Microseconds.milliseconds(500)

    private init(_ settings: VideoEncoderSettings, _ nodes: any VideoNodes) throws(MediaError) {
        guard let node = EncoderNode.first(nodes: nodes) else {
            throw MediaError(.unsupported, Self.absence(nodes))
        }
        self.settings = settings
        do throws(DeviceError) {
            encoder = try StatefulEncoder(
                node,
                StatefulEncoder.Settings(
                    size: settings.size, framesPerSecond: settings.framesPerSecond,
                    bitsPerSecond: settings.bitsPerSecond, color: settings.color), nodes: nodes)
        } catch {
            throw MediaError(.unsupported, error.description)
        }
    }

    /// Why there is none, in one line.
    static func absence(_ nodes: any VideoNodes) -> String {
        let others = EncoderNode.others(nodes: nodes)
        return "this machine has no V4L2 encoder for H.264 that this user may open"
            + (others.isEmpty ? "" : "; \(others.joined(separator: "; "))")
    }

    func encode(_ picture: VideoFrame, at time: MonotonicTime, isKeyframe: Bool) throws(MediaError) -> AccessUnit {
        do throws(DeviceError) {
            var coded = try encoder.encode(picture, isKeyframe: isKeyframe, within: Self.patience)
            while AnnexB.holdsNoPicture(coded.bytes) {
                parameterSets = coded.bytes
                coded = try encoder.next(within: Self.patience)
            }
            let holdsIDR = AnnexB.holdsIDR(coded.bytes)
            if holdsIDR, !AnnexB.holdsParameterSets(coded.bytes) { coded.bytes = parameterSets + coded.bytes }
            return AccessUnit(bytes: coded.bytes, presentationTime: time, isKeyframe: holdsIDR)
        } catch {
            throw MediaError(.internal, error.description)
        }
    }

    func setBitRate(_ bitsPerSecond: Int, bufferBits: Int) throws(MediaError) { encoder.setBitRate(bitsPerSecond) }
}
