import CamoTypes
import Confinement
import Foundation
import Testing

@testable import MediaCore

@Suite struct PublicationTests {
    /// FLV keeps parameter sets apart from the pictures: whoever watches is told the new ones.
    @Test func `a stream by RTMP goes on in another size`() throws {
        let folder = try TemporaryFolder()
        let (path, port) = (folder.path("out.flv"), Int.random(in: 20_000...30_000))
        let server = Process()
        server.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        server.arguments = [
            "ffmpeg", "-v", "error", "-listen", "1", "-f", "flv", "-i", "rtmp://127.0.0.1:\(port)/live/key", "-c",
            "copy",
            path,
        ]
        server.standardInput = FileHandle.nullDevice
        try server.run()
        defer { server.terminate() }
        var publication = try connect("rtmp://127.0.0.1:\(port)/live/key")
        let large = try Recordings.units((0..<30).map { 5_000_000 + $0 * 33_333 })
        let small = try Recordings.units(
            (30..<60).map { 5_000_000 + $0 * 33_333 }, size: PixelSize(width: 96, height: 64))
        for unit in large + small { #expect(try publication?.write(picture: unit) == true) }
        publication = nil
        server.waitUntilExit()
        let sizes = try Tool.probe(path, "frame=width", ["-select_streams", "v"])
        #expect(sizes.count == 60 && sizes.first == "160" && sizes.last == "96", "\(sizes)")
    }

    /// Once the server, which is only being started, listens.
    private func connect(_ url: String) throws -> Publication? {
        let interruption = Interruption(clock: SystemClock())
        let deadline = SystemClock().now + .seconds(Int64(20))
        while true {
            interruption.allow(.seconds(Int64(10)))
            do throws(MediaError) {
                return try Publication(to: url, .rtmp, hasSound: true, interruption: interruption)
            } catch {
                guard SystemClock().now < deadline else { throw error }
            }
            usleep(50_000)
        }
    }
}
