import ProducerKit

/// Renders a white bar that moves over a ground that gets lighter from left to right.
///
/// A program that renders by itself subclasses `ObservableVideoSource` in this way: it makes a picture, and notifies
/// whoever observes. It need not know who that is.
final class MovingBar: ObservableVideoSource, @unchecked Sendable {
    private static let size = PixelSize(width: 640, height: 360)
    private static let barWidth = 32

    /// Thirty pictures a second, until the task is cancelled.
    func run() async throws {
        // What the renderer's camera is like: 640 pixels wide, 53 degrees across. Said once; again if it changes.
        let camera = CameraParameters(
            width: Self.size.width, height: Self.size.height, focalXPixels: 640, focalYPixels: 640)
        notify { $0.videoSource(self, didOutput: camera) }

        let begin = ContinuousClock.now
        for number in 0... {
            try await Task.sleep(until: begin + .milliseconds(number * 1_000 / 30))
            let pixels = Self.pixels(of: number)
            // Without a time of its own, a picture's time is when it is handed over.
            let frame = try pixels.withUnsafeBytes { try VideoFrame(copying: $0, size: Self.size, format: .bgra) }
            let sample = try VideoSample(buffer: frame, format: .bgra)
            notify { $0.videoSource(self, didOutput: sample) }
        }
    }

    /// BGRA: blue, green, red, and a byte that is not looked at, row after row.
    private static func pixels(of number: Int) -> [UInt8] {
        let bar = number * 8 % (size.width - barWidth)
        var row: [UInt8] = []
        for x in 0..<size.width {
            let isBar = (bar..<bar + barWidth).contains(x)
            let level = isBar ? 255 : UInt8(x * 200 / size.width)
            row += [level, level, level, 255]
        }
        return [[UInt8]](repeating: row, count: size.height).flatMap { $0 }
    }
}
