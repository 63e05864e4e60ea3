import Foundation
import Glibc
import Testing

/// Raw pictures in at one end, raw pictures out at the other.
@Suite(.serialized) struct RawStreamTests {
    private static let size = (width: 320, height: 240)
    private static let frameBytes = 320 * 240 * 3 / 2

    /// A flat grey that gets lighter by a step with each picture; after compression still to be told apart.
    private func picture(_ number: Int) -> [UInt8] {
        let level = UInt8(20 + (number * 5) % 200)
        return [UInt8](repeating: level, count: Self.size.width * Self.size.height * 4)
    }

    @Test func `pictures arrive whole, in the first size, in order and recognisable`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let producer = try pair.startProducer(
                ["--raw", "-", "--size", "320x240", "--fps", "30", "--json", "--no-advertise"], input: .written)
            let port = try await pair.port(of: producer)
            let out = try rig.directory("out").file("out.i420")
            let studio = try pair.startStudio(
                ["--connect", "127.0.0.1:\(port)", "--stdout", "i420"], output: .file(out))
            _ = try await producer.event("connected", within: .seconds(10))
            let feeder = Task {
                for number in 0..<90 {
                    guard producer.write(picture(number)) else { return }
                    try? await Task.sleep(for: .milliseconds(33))
                }
                producer.closeInput()
            }
            #expect(try await producer.exit(within: .seconds(30)) == .exited(0))
            // The source came to its end: so does the studio.
            #expect(try await studio.exit(within: .seconds(10)) == .exited(0))
            await feeder.value
            let bytes = try #require(FileManager.default.contents(atPath: out))
            #expect(bytes.count % Self.frameBytes == 0)
            let count = bytes.count / Self.frameBytes
            #expect(count >= 60)
            // BT.601 limited range: luma = 16 + 219/255 * level, which tells each picture's number.
            let levels = (0..<count).map { index in
                (Double(bytes[index * Self.frameBytes + Self.frameBytes / 3]) - 16) * 255 / 219
            }
            let numbers = levels.map { ((($0 - 20) / 5).rounded()) }
            let steps = zip(numbers.dropFirst(), numbers).map { $0 - $1 }
            #expect(steps.allSatisfy { $0 >= 1 || $0 <= -20 })
            #expect(levels.allSatisfy { abs(($0 - 20) / 5 - ((($0 - 20) / 5).rounded())) < 0.45 })
        }
    }

    @Test func `a producer that starts later is found, and one that goes and comes back resumes`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let port = try freePort()
            let out = try rig.directory("out").file("out.i420")
            let studio = try pair.startStudio(
                ["--connect", "127.0.0.1:\(port)", "--stdout", "i420"], output: .file(out))
            _ = try await studio.message(within: .seconds(10)) { $0.contains("trying again") }
            let arguments = ["--test-pattern", "--size", "320x240", "--port", "\(port)", "--no-advertise", "--json"]
            let first = try pair.startProducer(arguments)
            _ = try await first.event("connected", within: .seconds(15))
            try await growth(of: out)
            await first.kill()
            let second = try pair.startProducer(arguments)
            _ = try await second.event("connected", within: .seconds(15))
            try await growth(of: out)
            studio.signal(SIGTERM)
            #expect(try await studio.exit(within: .seconds(2)) == .exited(0))
            let bytes = try #require(FileManager.default.contents(atPath: out))
            #expect(bytes.count % Self.frameBytes == 0)
        }
    }

    @Test func `an input that ends in mid-picture is told, with 65`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let producer = try pair.startProducer(
                ["--raw", "-", "--size", "320x240", "--no-advertise"], input: .written)
            producer.write(picture(0))
            producer.write([UInt8](repeating: 1, count: 1_000))
            producer.closeInput()
            #expect(try await producer.exit(within: .seconds(5)) == .exited(65))
            #expect(producer.standardError.text.contains("picture 2"))
            #expect(producer.standardError.text.contains("--size"))
        }
    }

    @Test func `H.264 from another program is passed on`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let folder = try rig.directory("h264")
            let clip = folder.file("clip.h264")
            try await rig.run(
                "ffmpeg",
                [
                    "-v", "error", "-f", "lavfi", "-i", "testsrc2=size=320x240:rate=30", "-t", "6", "-c:v", "libx264",
                    "-tune", "zerolatency", "-g", "30", "-pix_fmt", "yuv420p", clip,
                ])
            let producer = try pair.startProducer(["--h264", "-", "--json", "--no-advertise"], input: .file(clip))
            let port = try await pair.port(of: producer)
            let out = folder.file("out.h264")
            let studio = try pair.startStudio(
                ["--connect", "127.0.0.1:\(port)", "--stdout", "h264"], output: .file(out))
            #expect(try await producer.exit(within: .seconds(20)) == .exited(0))
            #expect(try await studio.exit(within: .seconds(10)) == .exited(0))
            let verdict = try await Judge.probe(out, rig)
            #expect(verdict.width == 320 && verdict.height == 240 && verdict.frames >= 60)
            let complaints = try await Judge.complaints(out, rig)
            #expect(complaints == "")
        }
    }

    @Test func `a reader that goes away ends the studio quietly`() async throws {
        try await Rig.run { rig in
            let pair = try await Pair.paired(rig)
            let producer = try pair.startProducer(["--test-pattern", "--size", "320x240", "--json", "--no-advertise"])
            let port = try await pair.port(of: producer)
            var ends: [Int32] = [-1, -1]
            #expect(pipe(&ends) == 0)
            // Not for the children of other tests, or the pipe would have readers for ever.
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            let studio = try pair.startStudio(
                ["--connect", "127.0.0.1:\(port)", "--stdout", "gray"], output: .descriptor(ends[1]))
            close(ends[1])
            var buffer = [UInt8](repeating: 0, count: 4_096)
            #expect(read(ends[0], &buffer, buffer.count) > 0)
            close(ends[0])
            #expect(try await studio.exit(within: .seconds(5)) == .exited(0))
            #expect(producer.isRunning)
        }
    }

    /// Waits until some pictures have been added to a file.
    private func growth(of path: String) async throws {
        func size() -> Int {
            ((try? FileManager.default.attributesOfItem(atPath: path)[.size]) as? NSNumber)?.intValue ?? 0
        }
        let wanted = size() + 10 * Self.frameBytes
        let deadline = ContinuousClock.now + Patience.scaled(.seconds(15))
        while size() < wanted {
            guard ContinuousClock.now < deadline else { throw RigError("\(path) does not grow beyond \(size())") }
            try await Task.sleep(for: .milliseconds(50))
        }
    }
}

/// A TCP port that nobody uses now.
func freePort() throws -> UInt16 {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(descriptor, $0, length) == 0 && getsockname(descriptor, $0, &length) == 0
        }
    }
    guard isBound else { throw RigError("no free port") }
    return UInt16(bigEndian: address.sin_port)
}
