import CamoTypes
import Confinement
import Foundation
import Testing

@testable import MediaCore

/// The encoder of a GPU, as far as a machine without one can show it.
@Suite struct VAAPITests {
    private let settings = VideoEncoderSettings(size: PixelSize(width: 320, height: 180))

    /// A folder in the place of `/dev/dri`, with files of these names.
    private func folder(_ names: String...) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "dri-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in names { try Data().write(to: URL(filePath: folder + "/" + name)) }
        return folder
    }

    private func complaint(_ nodes: RenderNodes) -> String? {
        do throws(MediaError) {
            _ = try VAAPIEncoder.kind(nodes: nodes).open(settings)
            return nil
        } catch {
            return error.description
        }
    }

    @Test func `without a node there is no GPU, and that is said`() throws {
        for path in [try folder("card0", "renderD"), "/nowhere/dri"] {
            let nodes = RenderNodes(folder: path)
            #expect(!VAAPIEncoder.kind(nodes: nodes).isPresent())
            #expect(complaint(nodes)?.contains("there is no \(path)/renderD128") == true)
        }
    }

    @Test func `a node that this user may not open is named, with what lets it`() throws {
        let path = try folder("renderD129", "renderD128")
        let nodes = RenderNodes(folder: path) { _ in false }
        #expect(VAAPIEncoder.kind(nodes: nodes).isPresent())
        let text = try #require(complaint(nodes))
        #expect(text.contains("may not open \(path)/renderD128"))
        #expect(text.contains("usermod -aG render"))
    }

    @Test func `the first node that may be opened is taken`() throws {
        let path = try folder("renderD130", "renderD129", "renderD128", "card0")
        #expect(try RenderNodes(folder: path).usable() == path + "/renderD128")
        #expect(try RenderNodes(folder: path) { !$0.hasSuffix("128") }.usable() == path + "/renderD129")
    }

    @Test(.enabled(if: gpu == nil && weakGPU == nil)) func `a node without a driver says so in one line`() throws {
        let text = try #require(complaint(RenderNodes(folder: try folder("renderD128"))))
        #expect(text.contains("no VA-API driver answers for"))
        #expect(!text.contains("\n"))
    }

    @Test func `libx264 takes its place, and a person is told why`() throws {
        let lines = Lines()
        let nodes = RenderNodes(folder: "/nowhere/dri")
        let choice = EncoderChoice(VAAPIEncoder.kind(nodes: nodes), [.x264]) { lines.add($0) }
        #expect(try choice.open(settings).1.name == "libx264")
        #expect(lines.all.count == 1)
        #expect(lines.all.first?.hasPrefix("h264_vaapi is not used: there is no /nowhere/dri/renderD128") == true)
        #expect(lines.all.first?.hasSuffix("libx264 is") == true)
    }

    @Test func `less is taken over at once, more with a keyframe, little not at all`() {
        var rate = VAAPIRate(bitsPerSecond: 1_000_000, bufferBits: 250_000)
        #expect(!rate.shouldReopen(isKeyframe: true))
        rate.ask(for: 950_000, bufferBits: 240_000)
        #expect(!rate.shouldReopen(isKeyframe: true))
        rate.ask(for: 500_000, bufferBits: 125_000)
        #expect(rate.shouldReopen(isKeyframe: false))
        #expect(rate.wanted.bitsPerSecond == 500_000 && rate.wanted.bufferBits == 125_000)
        rate.ask(for: 2_000_000, bufferBits: 500_000)
        #expect(!rate.shouldReopen(isKeyframe: false))
        #expect(rate.shouldReopen(isKeyframe: true))
        // Opened with it, there is nothing left to take over.
        #expect(!rate.wanted.shouldReopen(isKeyframe: true))
    }

    // MARK: With a driver

    /// `/dev/dri`, or what `scripts/test-gpu` has put in its place: one that encodes, and one that cannot.
    private static let gpu = ProcessInfo.processInfo.environment["CAMO_TEST_GPU"]
    private static let weakGPU = ProcessInfo.processInfo.environment["CAMO_TEST_WEAK_GPU"]

    @Test(.enabled(if: weakGPU != nil)) func `a GPU without an encoder, or without rates, says so in one line`() throws
    {
        let folder = try #require(Self.weakGPU)
        let text = try #require(complaint(RenderNodes(folder: folder)))
        #expect(text.contains("has no H.264 encoder that can be told a rate"))
        #expect(!text.contains("\n"))
    }

    private func gpuKind() throws -> EncoderKind {
        VAAPIEncoder.kind(nodes: RenderNodes(folder: try #require(Self.gpu)))
    }

    @Test(.enabled(if: gpu != nil)) func `a GPU passes the trial`() throws {
        let kind = try gpuKind()
        #expect(throws: Never.self) {
            // Its time stands still: how fast the driver is says nothing here.
            try EncoderTrial.run(kind, settings, clock: ManualClock())
        }
    }

    @Test(.enabled(if: gpu != nil))
    func `another rate is taken over with a keyframe, and colours arrive where they were`()
        throws
    {
        let encoder = try gpuKind().open(settings)
        let decoder = try H264Decoder()
        let (luma, chroma) = (settings.size.area, settings.size.area / 4)
        let bytes =
            [UInt8](repeating: 100, count: luma) + [UInt8](repeating: 60, count: chroma)
            + [UInt8](repeating: 200, count: chroma)
        let picture = try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: settings.size, format: .i420) }
        var keyframes: [Int] = []
        for number in 0..<20 {
            // Less than what it was opened with; then more, which waits for the keyframe that is asked for.
            if number == 5 { try encoder.setBitRate(1_000_000, bufferBits: 250_000) }
            if number == 10 { try encoder.setBitRate(4_000_000, bufferBits: 1_000_000) }
            let time = MonotonicTime(microseconds: Int64(number) * 33_333)
            let unit = try encoder.encode(picture, at: time, isKeyframe: number == 15)
            if unit.isKeyframe { keyframes.append(number) }
            guard case .picture(let decoded) = decoder.decode(unit) else {
                Issue.record("picture \(number) cannot be decoded")
                continue
            }
            #expect(decoded.size == settings.size && decoded.presentationTime == time)
            let centre = decoded.withPlanes { planes in planes.map { Int($0.bytes[$0.stride * 40 + 40]) } }
            #expect(zip(centre, [100, 60, 200]).allSatisfy { abs($0 - $1) <= 4 }, "\(centre)")
        }
        #expect(keyframes == [0, 5, 15])
    }

    @Test func `libavcodec knows every option that is set`() throws {
        // What is unknown would be refused on a machine with a GPU alone.
        for (option, value) in VAAPIEncoder.Mode.all.flatMap(\.options) {
            #expect(throws: Never.self) { try VAAPIEncoder.checkOption(option, value) }
        }
    }
}

private final class Lines: Sendable {
    private let lines = Locked<[String]>([])
    func add(_ line: String) { lines.withLock { $0.append(line) } }
    var all: [String] { lines.withLock { $0 } }
}
