import Glibc
import ProducerKit

/// The sources that a command line asks for, and what they mean for the picture that is sent.
struct SourceChoice {
    var sources: [any MediaSource]
    /// Size of what comes in; nil where only the first picture tells.
    var size: PixelSize?
    var framesPerSecond: Double
    /// Whether any of them has sound: a clip may have none.
    var hasSound = false
    /// One line for people: what was chosen where nothing was asked for.
    var remark: String?

    init(_ options: StreamOptions) throws(ProducerError) {
        let wanted = options.framesPerSecond
        framesPerSecond = wanted ?? 30
        size = options.size
        switch options.source {
        case .raw(let size, let format):
            self.size = size
            sources = [
                RawPictureSource(
                    descriptor: STDIN_FILENO, size: size, format: format, framesPerSecond: framesPerSecond)
            ]
        case .h264: sources = [CodedStreamSource(descriptor: STDIN_FILENO, framesPerSecond: framesPerSecond)]
        case .file(let path, let loops):
            let file = FileSource(path: path, loops: loops, isSilent: options.alsaDevice != nil)
            let clip = try file.probe()
            self.size = options.size ?? clip.size
            framesPerSecond = wanted ?? clip.framesPerSecond
            hasSound = clip.hasSound
            sources = [file]
        case .testPattern:
            let size = options.size ?? PixelSize(width: 1280, height: 720)
            self.size = size
            hasSound = true
            sources = [
                TestPatternSource(
                    size: size, framesPerSecond: framesPerSecond, isSilent: options.alsaDevice != nil)
            ]
        case .v4l2(let device):
            sources = [
                try CameraSource(
                    device, size: options.size, framesPerSecond: wanted, passesCoded: options.takesPicturesAsTheyAre)
            ]
        case .automatic:
            let camera = try CameraSource(
                nil, size: options.size, framesPerSecond: wanted, passesCoded: options.takesPicturesAsTheyAre)
            sources = [camera]
            remark = "using \(camera.name)"
        }
        guard options.sound != .off else { return }
        if let device = options.alsaDevice {
            hasSound = true
            sources.append(MicrophoneSource(device))
        } else if options.source == .automatic {
            hasSound = true
            sources.append(MicrophoneSource("default"))
            remark = remark.map { "\($0) and the default microphone" }
        }
    }
}

extension StreamOptions {
    /// Nothing is asked for that only our own encoder can give.
    fileprivate var takesPicturesAsTheyAre: Bool {
        !isMirrored && rotation == 0 && definition == nil && bitsPerSecond == nil
    }
}
