import CamoTypes
import Foundation
import Testing

@testable import MediaCore

@Suite struct SnapshotTests {
    /// Left red, right a grey, bottom blue.
    private func picture(_ size: PixelSize) throws -> VideoFrame {
        try Pictures.bgra(size) { x, y in
            y >= size.height / 2 ? (20, 40, 220) : x < size.width / 2 ? (220, 60, 20) : (128, 128, 128)
        }
    }

    private func pixel(_ path: String, x: Int, y: Int) throws -> [Int] {
        let (bytes, isSuccess) = try Tool.runForBytes(
            "ffmpeg",
            [
                "-v", "error", "-i", path, "-vf", "crop=1:1:\(x):\(y):exact=1", "-f", "rawvideo", "-pix_fmt", "rgb24",
                "-",
            ])
        try #require(isSuccess)
        return bytes.map { Int($0) }
    }

    @Test(arguments: ["a.png", "a.jpg", "A.JPEG"], [false, true])
    func coloursAreRight(name: String, isDecoded: Bool) throws {
        let folder = try TemporaryFolder()
        let size = PixelSize(width: 128, height: 96)
        var frame = try picture(size)
        if isDecoded { frame = try FrameConverter(size: size).convert(frame) }
        try Snapshot.write(frame, to: folder.path(name))
        #expect(folder.names == [name])
        for (x, y, expected) in [(20, 20, [220, 60, 20]), (100, 20, [128, 128, 128]), (60, 80, [20, 40, 220])] {
            let found = try pixel(folder.path(name), x: x, y: y)
            for (a, b) in zip(found, expected) { #expect(abs(a - b) <= 4, "\(name) \(x),\(y): \(found)") }
        }
        #expect(try Tool.probe(folder.path(name), "stream=width,height") == ["128", "96"])
    }

    @Test func hdColoursAreReadByTheirOwnMatrix() throws {
        let folder = try TemporaryFolder()
        let size = PixelSize(width: 64, height: 64)
        // Red 200, 0, 0 in BT.709 limited: Y 16 + 219 * 0.2126 * 200/255.
        var bytes = [UInt8](repeating: 52, count: size.area)
        bytes += [UInt8](repeating: 108, count: size.area / 4) + [UInt8](repeating: 216, count: size.area / 4)
        let frame = try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420, color: .bt709) }
        for name in ["a.png", "a.jpg"] {
            try Snapshot.write(frame, to: folder.path(name))
            let found = try pixel(folder.path(name), x: 30, y: 30)
            for (a, b) in zip(found, [200, 0, 0]) { #expect(abs(a - b) <= 6, "\(name): \(found)") }
        }
    }

    @Test func thumbnailsLieWithinTheirBox() throws {
        let folder = try TemporaryFolder()
        for (number, frame) in [
            try picture(PixelSize(width: 640, height: 360)),
            try FrameConverter(size: PixelSize(width: 640, height: 360)).convert(
                picture(PixelSize(width: 640, height: 360))),
        ].enumerated() {
            let path = folder.path("\(number).png")
            try Snapshot.write(frame, to: path, thumbnail: PixelSize(width: 160, height: 160))
            #expect(try Tool.probe(path, "stream=width,height") == ["160", "90"])
            let found = try pixel(path, x: 20, y: 20)
            for (a, b) in zip(found, [220, 60, 20]) { #expect(abs(a - b) <= 4, "\(found)") }
        }
    }

    @Test func aFileThatExistsIsKept() throws {
        let folder = try TemporaryFolder()
        let path = folder.path("a.png")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: path))
        let frame = try picture(PixelSize(width: 32, height: 32))
        #expect { try Snapshot.write(frame, to: path) } throws: { ($0 as? MediaError)?.code == .exists }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "precious")
        #expect(folder.names == ["a.png"])
        try Snapshot.write(frame, to: path, replacesExisting: true)
        #expect(try Tool.probe(path, "stream=width") == ["32"])
        #expect(folder.names == ["a.png"])
    }

    @Test(arguments: ["a.gif", "a", ".png/a", "a.png.txt"])
    func otherNamesAreRefused(name: String) throws {
        let folder = try TemporaryFolder()
        let frame = try Pictures.flat(PixelSize(width: 16, height: 16), 1)
        #expect { try Snapshot.write(frame, to: folder.path(name)) } throws: {
            ($0 as? MediaError)?.code == .unsupported
        }
        #expect(folder.names.isEmpty)
    }

    @Test func aFolderThatIsNotThereIsNamed() throws {
        let frame = try Pictures.flat(PixelSize(width: 16, height: 16), 1)
        #expect { try Snapshot.write(frame, to: "/no/such/folder/a.png") } throws: {
            let error = $0 as? MediaError
            return error?.code == .notFound && error?.description.contains("/no/such/folder/a.png") == true
        }
    }
}
