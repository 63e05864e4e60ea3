import CamoTypes
import Foundation
import Testing

@testable import MediaCore

@Suite struct H264Tests {
    /// A stream made by another encoder, by way of a file; `options` go to ffmpeg.
    private func stream(_ options: [String], size: String = "160x90") throws -> [UInt8] {
        let (bytes, isSuccess) = try Tool.runForBytes(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=\(size):r=25:d=2", "-pix_fmt", "yuv420p", "-c:v",
                "libx264",
            ]
                + options + ["-f", "h264", "-"])
        try #require(isSuccess)
        return bytes
    }

    private func split(_ bytes: [UInt8], step: Int) throws -> (units: [AccessUnit], parameters: SequenceParameterSet?) {
        var splitter = AccessUnitSplitter()
        var units: [AccessUnit] = []
        for start in Swift.stride(from: 0, to: bytes.count, by: step) {
            units += try bytes[start..<min(bytes.count, start + step)].withUnsafeBytes {
                try splitter.append($0, at: MonotonicTime(microseconds: Int64(start)))
            }
        }
        if let last = splitter.finish() { units.append(last) }
        return (units, splitter.parameters)
    }

    @Test(arguments: [
        ["-bf", "0", "-g", "10"],
        ["-bf", "0", "-g", "10", "-x264-params", "slices=4:aud=1"],
        [
            "-bf", "0", "-g", "10", "-x264-params", "repeat-headers=0", "-flags", "+global_header", "-bsf:v",
            "dump_extra=k",
        ],
    ])
    func anotherEncodersStreamIsCutIntoPictures(options: [String]) throws {
        let bytes = try stream(options)
        let (units, parameters) = try split(bytes, step: 4096)
        #expect(units.count == 50)
        #expect(units.filter { $0.isKeyframe }.count == 5)
        #expect(parameters?.size == PixelSize(width: 160, height: 90))
        #expect(parameters?.framesPerSecond == 25)
        // The same, however the bytes come in.
        #expect(try split(bytes, step: 1).units.map { $0.bytes } == units.map { $0.bytes })
        #expect(try split(bytes, step: bytes.count).units.map { $0.bytes } == units.map { $0.bytes })

        let decoder = try H264Decoder()
        for unit in units {
            let outcome = decoder.decode(unit)
            guard case .picture(let picture) = outcome else {
                Issue.record(
                    "a picture is missing or late: \(outcome), \(AnnexB.units(in: unit.bytes).map { ($0.first, $0.count) })"
                )
                return
            }
            #expect(picture.presentationTime == unit.presentationTime)
        }
    }

    @Test func parameterSetsSentOnceAreRepeatedBeforeEachKeyframe() throws {
        let (all, _) = try split(try stream(["-bf", "0", "-g", "10"]), step: 1000)
        // Takes them out of every unit but the first.
        var bytes: [UInt8] = []
        for (number, unit) in all.enumerated() {
            for nal in AnnexB.units(in: unit.bytes) where number == 0 || ![7, 8].contains(AnnexB.type(of: nal)) {
                bytes += [0, 0, 1] + nal
            }
        }
        let (units, _) = try split(bytes, step: 777)
        #expect(units.count == 50)
        for unit in units where unit.isKeyframe {
            let decoder = try H264Decoder()
            guard case .picture = decoder.decode(unit) else {
                Issue.record("one cannot join here")
                return
            }
        }
    }

    @Test func aUnitComesOutAsSoonAsTheNextBegins() throws {
        let (all, _) = try split(try stream(["-bf", "0"]), step: 1000)
        var splitter = AccessUnitSplitter()
        let time = MonotonicTime(microseconds: 5)
        #expect(try all[0].bytes.withUnsafeBytes { try splitter.append($0, at: time) }.isEmpty)
        // Start code, header and the first byte of the slice.
        let out = try all[1].bytes.prefix(6).withUnsafeBytes { try splitter.append($0, at: time) }
        #expect(out.map { $0.bytes } == [all[0].bytes])
    }

    /// A stream that says nothing about reordering must not make the decoder wait.
    @Test func aStreamWithoutReorderingInformationHasNoDelay() throws {
        // Baseline-like content whose VUI was cut away.
        let (units, _) = try split(
            try stream(["-bf", "0", "-profile:v", "baseline", "-bsf:v", "h264_metadata=tick_rate=0"]), step: 999)
        let decoder = try H264Decoder()
        for unit in units {
            guard case .picture = decoder.decode(unit) else {
                Issue.record("a picture is late")
                return
            }
        }
    }

    @Test(arguments: ["1364x766", "1366x768", "854x480", "2x2", "638x358"])
    func sizesAreReadAfterCropping(size: String) throws {
        let (bytes, isSuccess) = try Tool.runForBytes(
            "ffmpeg",
            [
                "-v", "error", "-f", "lavfi", "-i", "color=s=\(size):d=0.04", "-pix_fmt", "yuv420p", "-c:v", "libx264",
                "-color_primaries", "bt709", "-colorspace", "smpte170m", "-color_trc", "iec61966-2-1", "-color_range",
                "pc",
                "-f", "h264", "-",
            ])
        try #require(isSuccess)
        let set = try #require(try split(bytes, step: 100).parameters)
        #expect(set.size == PixelSize(size))
        #expect(set.color == ColorDescription(matrix: 6, primaries: 1, transfer: 13, isFullRange: true))
        #expect(set.chromaFormat == 1 && set.bitDepth == 8)
    }

    @Test func rubbishIsRefusedAndNeverTraps() throws {
        var splitter = AccessUnitSplitter()
        #expect(throws: MediaError.self) {
            for _ in 0..<40 {
                _ = try [UInt8](repeating: 0x55, count: 65536).withUnsafeBytes {
                    try splitter.append($0, at: MonotonicTime(microseconds: 0))
                }
            }
        }
        var state: UInt64 = 7
        for _ in 0..<2000 {
            var bytes: [UInt8] = [0x67]
            for _ in 0..<40 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                bytes.append(UInt8(truncatingIfNeeded: state >> 40) & (state >> 60 == 0 ? 0xFF : 0x81))
            }
            if let set = SequenceParameterSet(bytes[...]) { #expect(set.size.isWithinLimits) }
        }
    }
}
