import CamoTypes
import Foundation
import Testing

@testable import MediaCore

@Suite struct MediaFileTests {
    private func make(_ path: String, _ arguments: [String]) throws {
        try #require(try Tool.run("ffmpeg", ["-v", "error", "-y"] + arguments + [path]).isSuccess)
    }

    private struct Content {
        var pictures: [VideoFrame] = []
        var sound: [AudioFrame] = []
        var soundSamples: Int { sound.reduce(0) { $0 + $1.sampleCount } }
    }

    private func content(_ file: MediaFile) throws -> Content {
        var content = Content()
        while let item = try file.next() {
            switch item {
            case .picture(let picture): content.pictures.append(picture)
            case .sound(let sound): content.sound.append(sound)
            }
        }
        return content
    }

    private static let source = ["-f", "lavfi", "-i", "testsrc2=s=160x90:r=25:d=2"]
    private static let tone51 = ["-f", "lavfi", "-i", "sine=f=1000:r=44100:d=2,aformat=channel_layouts=5.1"]

    /// With B-frames, sound in 5.1, and a loop.
    @Test(arguments: ["a.mp4", "a.mkv", "a.ts", "a.avi"])
    func aClipIsReadInOrderAndAgain(name: String) throws {
        let folder = try TemporaryFolder()
        let path = folder.path(name)
        try make(
            path,
            Self.source + Self.tone51 + [
                "-c:v", "libx264", "-pix_fmt", "yuv420p", "-c:a", name == "a.avi" ? "ac3" : "aac",
            ])
        let file = try MediaFile(path: path)
        #expect(file.size == PixelSize(width: 160, height: 90))
        #expect(abs(file.framesPerSecond - 25) < 0.01)
        #expect(file.hasSound)
        for round in 0..<2 {
            let content = try content(file)
            #expect(content.pictures.count == 50, "round \(round)")
            let times = content.pictures.compactMap { $0.presentationTime?.microseconds }
            #expect(abs(times.first ?? .max) < 100_000)
            for (a, b) in zip(times, times.dropFirst()) { #expect(abs(b - a - 40_000) <= 1000) }
            #expect(abs(content.soundSamples - 96_000) < 6_000)
            let samples = content.sound.flatMap { $0.firstChannel }
            #expect(abs(frequency(Array(samples.dropFirst(8000).prefix(48_000))) - 1000) < 1)
            #expect(samples.allSatisfy { $0.magnitude <= 1.01 })
            try file.rewind()
        }
    }

    @Test(arguments: [
        ["-c:v", "libx264", "-pix_fmt", "yuv422p10le"], ["-c:v", "libx264", "-pix_fmt", "yuv444p"],
        ["-c:v", "mjpeg", "-pix_fmt", "yuvj422p"], ["-c:v", "ffv1", "-pix_fmt", "bgr0"],
    ])
    func picturesOfEveryKindComeAs420(options: [String]) throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mkv")
        try make(path, ["-f", "lavfi", "-i", "color=c=0xDC3C14:s=160x90:r=25:d=0.2"] + options)
        let content = try content(try MediaFile(path: path))
        #expect(content.pictures.count == 5 && content.sound.isEmpty)
        let picture = try #require(content.pictures.last)
        let packer = PicturePacker(size: picture.size, format: .bgra)
        let pixel = try packer.withPieces(of: picture) { pieces in
            Array(pieces[0].dropFirst(4 * 160 * 40 + 320).prefix(3))
        }
        for (a, b) in zip(pixel, [20, 60, 220] as [UInt8]) { #expect(abs(Int(a) - Int(b)) <= 5, "\(pixel)") }
    }

    @Test func aPhonesRotationIsDoneToThePixels() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mp4")
        // Left half white; the mark that it is to be turned can only be put onto a finished track.
        let plain = folder.path("plain.mp4")
        try make(
            plain,
            [
                "-f", "lavfi", "-i", "color=black:s=160x90:r=25:d=0.2,drawbox=w=80:h=90:c=white:t=fill", "-c:v",
                "libx264",
                "-pix_fmt", "yuv420p",
            ])
        try make(path, ["-i", plain, "-c", "copy", "-metadata:s:v:0", "rotate=90"])
        let file = try MediaFile(path: path)
        #expect(file.size == PixelSize(width: 90, height: 160))
        let picture = try #require(try content(file).pictures.first)
        #expect(picture.size == file.size)
        // What ffmpeg, which turns it too, makes of it.
        let (judge, _) = try Tool.runForBytes(
            "ffmpeg", ["-v", "error", "-i", path, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "gray", "-"])
        #expect((picture.sample(plane: 0, x: 45, y: 20) > 128) == (judge[20 * 90 + 45] > 128))
        #expect((picture.sample(plane: 0, x: 45, y: 140) > 128) == (judge[140 * 90 + 45] > 128))
        #expect(judge[20 * 90 + 45] != judge[140 * 90 + 45])
    }

    @Test func rawH264IsReadWithoutTimes() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.h264")
        try make(path, Self.source + ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-bf", "0"])
        let file = try MediaFile(path: path)
        #expect(!file.hasSound)
        #expect(try content(file).pictures.count == 50)
        try file.rewind()
        #expect(try content(file).pictures.count == 50)
    }

    @Test func whatIsNoClipSaysWhy() throws {
        let folder = try TemporaryFolder()
        let junk = folder.path("junk.mp4")
        try Data((0..<5000).map { UInt8(truncatingIfNeeded: $0 &* 7919 >> 3) }).write(to: URL(fileURLWithPath: junk))
        let text = folder.path("text.mp4")
        try Data("hello\n".utf8).write(to: URL(fileURLWithPath: text))
        let empty = folder.path("empty.mp4")
        try Data().write(to: URL(fileURLWithPath: empty))
        let sound = folder.path("sound.mp4")
        try make(sound, Self.tone51 + ["-c:a", "aac"])

        let cases: [(String, Set<MediaError.Code>)] = [
            (junk, [.badData, .unsupported]), (text, [.badData, .unsupported]), (empty, [.badData, .unsupported]),
            (sound, [.unsupported]), (folder.path("none.mp4"), [.notFound]),
            (folder.url.path, [.badData, .io, .unsupported]),
            ("http://127.0.0.1:1/a.mp4", [.notFound]), ("concat:\(sound)|\(sound)", [.notFound]),
        ]
        for (path, codes) in cases {
            #expect("\(path)") { try MediaFile(path: path) } throws: {
                guard let error = $0 as? MediaError else { return false }
                return codes.contains(error.code) && error.description.contains(path)
            }
        }
        #expect { try MediaFile(path: sound) } throws: { "\($0)".contains("no video") }
    }

    /// A playlist would make us read files and addresses that its author chose.
    @Test func playlistsAreRefused() throws {
        let folder = try TemporaryFolder()
        let clip = folder.path("clip.ts")
        try make(clip, Self.source + ["-c:v", "libx264", "-pix_fmt", "yuv420p"])
        let lists = [
            "a.m3u8": "#EXTM3U\n#EXT-X-TARGETDURATION:2\n#EXTINF:2,\n\(clip)\n#EXT-X-ENDLIST\n",
            "a.txt": "ffconcat version 1.0\nfile '\(clip)'\n",
            "a.mpd": "<?xml version=\"1.0\"?><MPD xmlns=\"urn:mpeg:dash:schema:mpd:2011\"></MPD>",
            "a.sdp": "v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 5000 RTP/AVP 96\n",
        ]
        for (name, text) in lists {
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder.path(name)))
            #expect("\(name)") { try MediaFile(path: folder.path(name)) } throws: {
                ($0 as? MediaError)?.code == .unsupported || ($0 as? MediaError)?.code == .badData
            }
        }
    }

    @Test func aDamagedClipIsPlayedAsFarAsItGoes() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.mkv")
        try make(
            path, Self.source + Self.tone51 + ["-c:v", "libx264", "-pix_fmt", "yuv420p", "-g", "5", "-c:a", "aac"])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in stride(from: bytes.count / 3, to: bytes.count / 2, by: 61) { bytes[index] = 0xA5 }
        bytes.removeLast(bytes.count / 5)
        try bytes.write(to: URL(fileURLWithPath: path))
        let content = try content(try MediaFile(path: path))
        #expect(content.pictures.count > 10)
    }
}
