import CamoTypes
import Confinement
import Foundation
import Testing

@testable import ProducerKit

/// Clips whose pictures tell their number by their brightness.
enum NumberedClip {
    /// 25 a second, each brighter than the one before.
    static func source(_ count: Int, size: String = "64x48") -> [String] {
        [
            "-f", "lavfi", "-i", "nullsrc=s=\(size):r=25:d=\(Double(count) / 25),geq=lum='20+4*N':cb=128:cr=128",
        ]
    }

    /// H.264 with B-frames and a keyframe every 12 pictures.
    static let coded = ["-c:v", "libx264", "-bf", "3", "-g", "12", "-crf", "8", "-pix_fmt", "yuv420p"]

    static func make(_ path: String, _ arguments: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["ffmpeg", "-v", "error", "-y"] + arguments + [path]
        process.standardInput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0)
    }

    static func number(of picture: VideoFrame) -> Int { (picture.middleLuma - 20 + 2) / 4 }
}

/// Time that passes only when somebody waits for it, and at once.
final class VirtualTime: MonotonicClock {
    private let time = Locked(MonotonicTime.at(1_000_000))
    var now: MonotonicTime { time.withLock { $0 } }
    func sleep(until wanted: MonotonicTime) { time.withLock { $0 = max($0, wanted) } }
}

/// Writes down what a clip gives, and can do something with each picture.
final class ClipLog: VideoSourceObserver {
    struct Seen: Sendable {
        var numbers: [Int] = []
        var times: [MonotonicTime] = []
        /// What the clock said when each picture came.
        var arrivals: [MonotonicTime] = []
        var sizes: Set<PixelSize> = []
        var sound: [AudioFrame] = []
        var endings: [ProducerError?] = []
    }

    let seen = Watched(Seen())
    private let clock: any MonotonicClock
    private let onPicture: @Sendable (FileVideoSource, Int) -> Void

    init(
        _ clock: any MonotonicClock = SystemClock(),
        onPicture: @escaping @Sendable (FileVideoSource, Int) -> Void = { _, _ in }
    ) { (self.clock, self.onPicture) = (clock, onPicture) }

    func videoSource(_ videoSource: any VideoSource, didOutput videoSample: VideoSample) {
        let number = NumberedClip.number(of: videoSample.buffer)
        seen.change { seen in
            seen.numbers.append(number)
            seen.times.append(videoSample.buffer.presentationTime ?? .at(-1))
            seen.arrivals.append(clock.now)
            seen.sizes.insert(videoSample.buffer.size)
        }
        if let source = videoSource as? FileVideoSource { onPicture(source, number) }
    }
    func videoSource(_ videoSource: any VideoSource, didOutput sound: AudioFrame) {
        seen.change { $0.sound.append(sound) }
    }
    func videoSource(_ videoSource: any VideoSource, didEndWith error: ProducerError?) {
        seen.change { $0.endings.append(error) }
    }
}

extension Watched<Int> {
    /// One more; how many that makes.
    func counted() -> Int {
        change { count in
            count += 1
            return count
        }
    }
}
