// raw-studio [HOST:PORT [COUNT]]
//
// Reads decoded pictures of a producer that this computer is paired with (`camo-studio pair`), and prints a line about
// each: size, rate, delay, mean brightness, focal length. Ends after COUNT pictures.

import StudioKit

/// The mean of the luma plane, 16 (black) to 235 (white).
func brightness(of picture: VideoFrame) -> Double {
    // The pointers are good inside the closure alone. Rows may have padding behind them: stride, not width.
    picture.withPlanes { planes in
        let luma = planes[0]
        var sum = 0
        for y in 0..<picture.size.height {
            for x in 0..<picture.size.width { sum += Int(luma.bytes[y * luma.stride + x]) }
        }
        return Double(sum) / Double(picture.size.area)
    }
}

let arguments = Array(CommandLine.arguments.dropFirst())
let count = arguments.count > 1 ? Int(arguments[1]) : nil

let studio = StudioController()
try studio.start()
// Taken once and kept: each access makes another stream. A reader that is slow gets the newest picture.
let frames = studio.frames
try studio.connect(to: arguments.first.map { .address($0) } ?? .anyPaired)

var number = 0
for await frame in frames {
    let (info, picture) = (frame.info, frame.picture)
    let focal = frame.cameraParameters.map { "\($0.scaled(to: picture.size).focalXPixels)" } ?? "unknown"
    print(
        "\(info.size) rate=\(info.framesPerSecond) delay=\(info.delay.inMilliseconds)",
        "brightness=\(brightness(of: picture)) focal=\(focal)")
    number += 1
    if number == count { break }
}
await studio.stop()
