import CamoTypes
import Foundation
import Glibc
import Testing

@testable import MediaCore

@Suite struct StillPictureTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// A file of that name, whatever its format, by ffmpeg.
    private func made(_ name: String, _ options: [String] = []) throws -> String {
        let path = folder.path(name)
        let source = ["-v", "error", "-f", "lavfi", "-i", "color=white:size=63x47,drawbox=t=fill:w=30:h=47:c=black"]
        try #require(try Tool.run("ffmpeg", source + ["-frames:v", "1", "-update", "1"] + options + [path]).isSuccess)
        return path
    }

    @Test(arguments: [
        ("a.png", ["-pix_fmt", "rgba"]), ("b.png", ["-pix_fmt", "monob"]), ("c.png", ["-pix_fmt", "gray16be"]),
        ("d.jpg", ["-pix_fmt", "yuvj444p"]), ("e.webp", []), ("f.bmp", []),
    ])
    func `each kind is read, by what is in it`(name: String, options: [String]) throws {
        let path = try made(name, options)
        let other = folder.path("without an ending")
        try FileManager.default.moveItem(atPath: path, toPath: other)
        let picture = try StillPicture.read(other)
        #expect(picture.size == PixelSize(width: 62, height: 46))
        #expect(picture.format == .i420 && !picture.color.isFullRange)
        picture.withPlanes { planes in
            let row = planes[0].bytes.dropFirst(20 * planes[0].stride)
            #expect(row.dropFirst(10).first.map { $0 < 24 } == true, "\(Array(row.prefix(62)))")
            #expect(row.dropFirst(50).first.map { $0 > 225 } == true, "\(Array(row.prefix(62)))")
        }
    }

    @Test func `a QR code's own picture is read`() throws {
        let path = folder.path("code.png")
        try Data(try #require(QRSymbol("camo:pair?x")).png()).write(to: URL(fileURLWithPath: path))
        #expect(try QRReader().texts(in: StillPicture.read(path)) == ["camo:pair?x"])
    }

    private func complaint(_ path: String) -> MediaError? {
        do throws(MediaError) {
            _ = try StillPicture.read(path)
            return nil
        } catch {
            return error
        }
    }

    @Test func `what is no picture is told`() throws {
        #expect(complaint(folder.path("none"))?.code == .notFound)
        #expect(complaint(folder.url.path)?.code == .badData)
        let path = folder.path("file")
        for bytes in [
            [], Array("hello".utf8), [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A], [0xFF, 0xD8, 0xFF, 0xD9],
        ] {
            try Data(bytes).write(to: URL(fileURLWithPath: path))
            let error = complaint(path)
            #expect(error?.code == .badData && error?.description.contains(path) == true, "\(bytes): \(error as Any)")
        }
        // Nobody writes into it: it is not waited for.
        let pipe = folder.path("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(complaint(pipe)?.code == .badData)
    }

    @Test func `one that is cut off or damaged ends well`() throws {
        let whole = try Data(contentsOf: URL(fileURLWithPath: try made("whole.png")))
        let path = folder.path("damaged.png")
        for count in stride(from: 8, to: whole.count, by: 7) {
            try whole.prefix(count).write(to: URL(fileURLWithPath: path))
            _ = complaint(path)
            var flipped = whole
            flipped[count] ^= 0x55
            try flipped.write(to: URL(fileURLWithPath: path))
            _ = complaint(path)
        }
        try whole.prefix(60).write(to: URL(fileURLWithPath: path))
        #expect(complaint(path) != nil)
    }

    @Test func `one that says it is enormous is not allocated`() throws {
        var bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: try made("small.png"))))
        // Width and height in IHDR; libavcodec does not mind the checksum.
        for index in [16, 17, 20, 21] { bytes[index] = 0x00 }
        for index in [18, 22] { bytes[index] = 0xF0 }
        let path = folder.path("large.png")
        try Data(bytes).write(to: URL(fileURLWithPath: path))
        #expect(complaint(path) != nil)
    }
}
