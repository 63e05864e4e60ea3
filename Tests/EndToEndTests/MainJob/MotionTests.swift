import Foundation
import Glibc
import Testing

/// Something moves in the producer's picture, and the studio tells where.
@Suite(.serialized) struct MotionTests {
    @Test func `a square that moves is found by the studio, and outside the zones it is not`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            // Still for two seconds; then a square goes from left to right in the lower half.
            let clip = try rig.directory("clip").file("clip.mp4")
            try await rig.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i", "color=gray:size=640x360:rate=25:duration=5", "-f", "lavfi",
                    "-i",
                    "color=white:size=80x80:rate=25:duration=5", "-filter_complex",
                    "[0][1]overlay=x='(t-2)*200':y=240:enable='gte(t,2)'", "-c:v", "libx264", "-pix_fmt", "yuv420p",
                    clip,
                ], within: .seconds(30))
            let all = try await regions(pair, clip, [])
            #expect(!all.isEmpty)
            let lefts = all.map(\.x)
            #expect(all.allSatisfy { $0.y > 0.5 })
            #expect((lefts.first ?? 1) < 0.3 && (lefts.max() ?? 0) > 0.5)
            #expect(try await regions(pair, clip, ["--motion-zones", "0,0,100x50"]).isEmpty)
        }
    }

    /// The first region of each event in which something moves.
    private func regions(_ pair: Pair, _ clip: String, _ options: [String]) async throws -> [(x: Double, y: Double)] {
        let producer = try pair.startProducer(
            ["--file", clip, "--motion", "medium", "--json", "--no-advertise", "-v"] + options)
        let port = try await pair.port(of: producer)
        let told = try pair.startStudio(["--connect", "127.0.0.1:\(port)", "--motion", "--json", "-v"])
        #expect(try await producer.exit(within: .seconds(30)) == .exited(0))
        told.signal(SIGINT)
        _ = try await told.exit(within: .seconds(5))
        let events = told.events().filter { $0.kind == "motion" }
        return events.compactMap { event in
            guard let region = event.regions.array.first else { return nil }
            return (region["x"].double ?? -1, region["y"].double ?? -1)
        }
    }
}
