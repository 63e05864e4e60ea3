import CamoTypes
import Foundation

@testable import MediaCore

/// What the tests of recordings feed and ask.
enum Recordings {
    static let size = PixelSize(width: 160, height: 96)

    /// Coded pictures at given times.
    static func units(_ times: [Int64], size: PixelSize = size) throws -> [AccessUnit] {
        let stage = EncodeStage(.init(definition: .standard, bitsPerSecond: 400_000))
        return try times.enumerated().map { number, time in
            let output = try stage.encode(
                Pictures.moving(size, number: number), at: MonotonicTime(microseconds: Int64(number) * 33_333))
            var unit = output.unit
            unit.presentationTime = MonotonicTime(microseconds: time)
            return unit
        }
    }

    static func silence(at time: Int64, samples: Int = 480) -> AudioFrame {
        AudioFrame(
            format: .standard, bytes: [UInt8](repeating: 0, count: samples * 8),
            presentationTime: MonotonicTime(microseconds: time))
    }

    static func tone(at time: Int64, samples: Int = 480) -> AudioFrame {
        var oscillator = Tones.Oscillator(hertz: 1000, sampleRate: 48_000)
        return Tones.frame(
            &oscillator, samples: samples, format: .standard, at: MonotonicTime(microseconds: time))
    }

    /// Decodes everything; FFmpeg says nothing about a file that is whole.
    static func decodes(_ path: String) throws -> Bool {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "ffmpeg", "-v", "error", "-xerror", "-i", path, "-fps_mode", "passthrough", "-enc_time_base:v", "1/90000",
            "-f", "null", "-",
        ]
        let pipe = Pipe()
        process.standardError = pipe
        process.standardOutput = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let said = Tool.readAll(pipe)
        process.waitUntilExit()
        if !said.isEmpty { print("ffmpeg:", String(decoding: said, as: UTF8.self)) }
        return process.terminationStatus == 0 && said.isEmpty
    }

    static func pictureTimes(_ path: String) throws -> [Double] {
        try Tool.probe(path, "packet=pts_time", ["-select_streams", "v:0"]).compactMap { Double($0) }
    }
}
