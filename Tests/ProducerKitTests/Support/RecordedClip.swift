import CamoTypes
import Confinement
import MediaCore

@testable import ProducerKit

/// A recording as the producer makes them: 25 pictures a second, each brighter than the one before, a keyframe each second.
enum RecordedClip {
    static let size = PixelSize(width: 160, height: 96)
    static let start = MonotonicTime.at(5_000)

    /// Luma of the picture at a time.
    static func luma(at time: Microseconds) -> Int { 40 + Int(time.count / 40_000) }

    private static func noise() throws -> VideoFrame {
        let bytes = (0..<PixelFormat.i420.byteCount(size)).map { _ in UInt8.random(in: 16...235) }
        return try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420) }
    }

    /// - Parameters:
    ///   - path: Where to.
    ///   - told: What became of its files.
    ///   - hasSound: With silence.
    ///   - seconds: At most six.
    ///   - isNoise: Large for what there is to see.
    ///   - isKilled: The program ends before the file does.
    @discardableResult
    static func record(
        to path: String, seconds: Int = 4, hasSound: Bool = true, isKilled: Bool = false, isNoise: Bool = false,
        told: (Recorder.File) -> Void = { _ in }
    ) throws -> Recorder? {
        let encoder = try X264Encoder(
            VideoEncoderSettings(size: size, bitsPerSecond: 500_000, preset: "ultrafast"))
        let recorder = try Recorder(path: path, hasSound: hasSound)
        var files: [Recorder.File] = []
        recorder.fileDidChange = { files.append($0) }
        for number in 0..<seconds * 25 {
            let time = Microseconds(Int64(number) * 40_000)
            let frame = try isNoise ? noise() : VideoFrame.grey(UInt8(luma(at: time)), size)
            try recorder.write(video: encoder.encode(frame, at: start + time, isKeyframe: number % 25 == 0))
            if hasSound {
                let bytes = [UInt8](repeating: 0, count: 1_920 * AudioFormat.standard.bytesPerSample)
                try recorder.write(
                    sound: AudioFrame(format: .standard, bytes: bytes, presentationTime: start + time))
            }
        }
        if !isKilled { _ = recorder.finish(within: .seconds(Int64(30))) }
        for file in files { told(file) }
        return isKilled ? recorder : nil
    }
}
