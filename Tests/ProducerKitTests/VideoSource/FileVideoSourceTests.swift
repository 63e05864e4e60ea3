import CamoTypes
import Confinement
import Foundation
import Testing

@testable import ProducerKit

@Suite struct FileVideoSourceTests {
    private let folder: TemporaryFolder
    private let time = VirtualTime()

    init() throws { folder = try TemporaryFolder() }

    private func clip(_ name: String, _ arguments: [String]) throws -> String {
        let path = folder.file(name)
        try NumberedClip.make(path, arguments)
        return path
    }

    /// Plays in virtual time.
    private func source(_ path: String, loops: Bool = false) throws -> FileVideoSource {
        let time = time
        return try FileVideoSource(path: path, loops: loops, clock: time) { wanted, _ in time.sleep(until: wanted) }
    }

    /// Plays to the end.
    private func played(_ source: FileVideoSource, _ log: ClipLog) async throws -> ClipLog.Seen {
        source.add(observer: log)
        try source.start()
        await log.seen.wait { !$0.endings.isEmpty }
        source.stop()
        return log.seen.value
    }

    private func steps(_ times: [MonotonicTime]) -> [Int64] { zip(times.dropFirst(), times).map { ($0 - $1).count } }

    @Test func `pictures come in order, each at its time, with the sound, and the end is told`() async throws {
        let path = try clip(
            "a.mp4", NumberedClip.source(30) + ["-f", "lavfi", "-i", "sine=d=1.2"] + NumberedClip.coded)
        let source = try source(path)
        #expect(source.size == PixelSize(width: 64, height: 48) && source.framesPerSecond == 25 && source.hasSound)
        #expect(abs(try #require(source.duration).count - 1_200_000) < 50_000)
        let begin = time.now
        let seen = try await played(source, ClipLog(time))
        #expect(seen.numbers == Array(0..<30))
        #expect(seen.times.first == begin)
        #expect(steps(seen.times).allSatisfy { abs($0 - 40_000) <= 1 })
        #expect(seen.arrivals == seen.times)
        #expect(abs(seen.sound.reduce(0.0) { $0 + $1.duration.inSeconds } - 1.2) < 0.06)
        #expect(seen.endings == [nil])
        // The last picture is seen for as long as the others.
        #expect(time.now - begin >= .milliseconds(1_200))
        #expect(!source.isPlaying)
    }

    @Test func `times that are uneven, and a long pause, are kept`() async throws {
        // Every third one is missing, and ten minutes pass before the tenth.
        let setpts = "setpts='(N+floor(N/2)+if(gte(N,10),15000,0))/25/TB'"
        let path = try clip(
            "a.mkv", NumberedClip.source(20) + ["-vf", setpts, "-fps_mode", "vfr"] + NumberedClip.coded)
        let seen = try await played(try source(path), ClipLog(time))
        #expect(seen.numbers == Array(0..<20))
        let wanted = (1..<20).map { number -> Int64 in (number % 2 == 0 ? 80 : 40) + (number == 10 ? 600_000 : 0) }
        for (step, wanted) in zip(steps(seen.times), wanted) { #expect(abs(step - wanted * 1_000) <= 1_000) }
        #expect(seen.arrivals == seen.times && seen.endings == [nil])
    }

    @Test(arguments: [["-c:v", "ffv1", "-pix_fmt", "yuv444p"], ["-c:v", "libx264", "-pix_fmt", "yuv444p"]])
    func `odd pictures lose their last column and row`(codec: [String]) async throws {
        let path = try clip("a.mkv", NumberedClip.source(5, size: "65x49") + codec)
        let seen = try await played(try source(path), ClipLog(time))
        #expect(seen.sizes == [PixelSize(width: 64, height: 48)])
        #expect(seen.numbers == Array(0..<5))
    }

    // MARK: Going elsewhere

    /// With an index, by bytes, and where nothing but reading from the beginning helps.
    @Test(arguments: ["a.mp4", "a.mkv", "a.ts", "a.h264"])
    func `it begins at the picture that is to be seen at a time`(name: String) async throws {
        let path = try clip(name, NumberedClip.source(50) + NumberedClip.coded)
        let source = try source(path)
        source.seek(to: .milliseconds(1_100))  // between 27 and 28
        let seen = try await played(source, ClipLog(time))
        #expect(seen.numbers == Array(27..<50))
        // The next one comes when it would have come, too.
        let first = try #require(steps(seen.times).first)
        #expect(abs(first - 20_000) <= 1_000)
        // The next start is one from the beginning.
        let again = try await played(source, ClipLog(time))
        #expect(again.numbers == Array(0..<50))
    }

    @Test func `it goes forth and back while it plays, also within a call`() async throws {
        let path = try clip(
            "a.mp4", NumberedClip.source(50) + ["-f", "lavfi", "-i", "sine=d=2"] + NumberedClip.coded)
        let log = ClipLog(time) { source, number in
            if number == 3 { source.seek(to: .milliseconds(1_200)) }
            if number == 33 { source.seek(to: .milliseconds(200)) }
            if number == 6 { source.seek(to: Microseconds(.max)) }
        }
        let seen = try await played(try source(path), log)
        #expect(seen.numbers == [0, 1, 2, 3] + Array(30...33) + [5, 6, 49])
        #expect(seen.endings == [nil])
        // What comes next comes at once; sound goes with it.
        #expect(steps(seen.times).allSatisfy { $0 >= 0 && $0 <= 40_001 })
        for sound in seen.sound {
            let time = try #require(sound.presentationTime)
            #expect(abs((time - seen.times[0]).count) < 1_000_000)
        }
    }

    /// The last pictures are in the decoder until its end, behind all that sound.
    @Test func `sound that goes on without pictures neither holds them up nor is piled up`() async throws {
        let path = try clip(
            "a.mkv",
            NumberedClip.source(10) + ["-f", "lavfi", "-i", "sine=d=9", "-c:a", "pcm_s16le"] + NumberedClip.coded)
        let source = try source(path)
        source.seek(to: .seconds(Int64(3)))
        let begin = time.now
        let seen = try await played(source, ClipLog(time))
        #expect(seen.numbers == [9])
        #expect(seen.times == [begin])
        #expect(seen.arrivals == [begin])
        #expect(abs(seen.sound.reduce(0.0) { $0 + $1.duration.inSeconds } - 6) < 0.1)
        #expect(abs((time.now - begin).count - 6_000_000) < 100_000)
    }

    @Test func `slides that stand for seconds change in time, with sound`() async throws {
        let path = try clip(
            "a.mkv",
            NumberedClip.source(8) + ["-f", "lavfi", "-i", "sine=d=16", "-vf", "setpts=N*2/TB"]
                + ["-fps_mode", "vfr"] + NumberedClip.coded)
        let seen = try await played(try source(path), ClipLog(time))
        #expect(seen.numbers == Array(0..<8))
        #expect(steps(seen.times).allSatisfy { abs($0 - 2_000_000) <= 1_000 })
        #expect(seen.arrivals == seen.times)
    }

    @Test func `looped, it goes round without a gap until it is told not to`() async throws {
        let path = try clip("a.mp4", NumberedClip.source(10) + NumberedClip.coded)
        let rounds = Watched(0)
        let log = ClipLog(time) { source, number in
            guard number == 9 else { return }
            if rounds.counted() == 3 { source.loops = false }
        }
        let seen = try await played(try source(path, loops: true), log)
        #expect(seen.numbers == Array(0..<10) + Array(0..<10) + Array(0..<10))
        #expect(steps(seen.times).allSatisfy { abs($0 - 40_000) <= 1 })
        #expect(seen.endings == [nil])
    }

    // MARK: Starting and stopping

    @Test func `stopped within a call, nothing follows; started again, it begins anew`() async throws {
        let path = try clip("a.mp4", NumberedClip.source(10) + NumberedClip.coded)
        let source = try source(path)
        let stopped = Watched(0)
        let log = ClipLog(time) { source, number in
            guard number == 4, stopped.value == 0 else { return }
            source.stop()
            stopped.change { $0 += 1 }
        }
        source.add(observer: log)
        try source.start()
        try source.start()  // plays already
        await stopped.wait { $0 == 1 }
        #expect(!source.isPlaying)
        source.stop()
        try source.start()
        await log.seen.wait { !$0.endings.isEmpty }
        #expect(log.seen.value.numbers == Array(0...4) + Array(0..<10))
        #expect(log.seen.value.endings == [nil])
    }

    @Test func `a long wait ends at once, and a source that nobody holds ends`() async throws {
        let setpts = "setpts='if(gte(N,2),N+90000,N)/25/TB'"
        let path = try clip(
            "a.mkv", NumberedClip.source(5) + ["-vf", setpts, "-fps_mode", "vfr"] + NumberedClip.coded)
        let log = ClipLog()
        var source: FileVideoSource? = try FileVideoSource(path: path)  // by the real clock: an hour's pause
        weak let gone = source
        source?.add(observer: log)
        try source?.start()
        await log.seen.wait { $0.numbers.count == 2 }
        let begin = SystemClock().now
        source?.stop()
        #expect(SystemClock().now - begin < .milliseconds(800))
        try source?.start()
        await log.seen.wait { $0.numbers.count == 4 }
        source?.seek(to: .milliseconds(40))
        await log.seen.wait { $0.numbers.count == 5 }
        source = nil
        await waitUntil { gone == nil }
        #expect(log.seen.value.numbers == [0, 1, 0, 1, 1] && log.seen.value.endings.isEmpty)
    }

    @Test func `started again at its own end, it plays again`() async throws {
        let path = try clip("a.mp4", NumberedClip.source(5) + NumberedClip.coded)
        let source = try source(path)
        let again = Restarter()
        let log = ClipLog(time)
        source.add(observer: log)
        source.add(observer: again)
        try source.start()
        await again.endings.wait { $0 == 2 }
        #expect(log.seen.value.numbers == Array(0..<5) + Array(0..<5))
        #expect(log.seen.value.endings == [nil, nil])
    }

    // MARK: What is wrong with a file

    @Test func `what cannot be played is said at once, with the file's name`() throws {
        let text = folder.file("text.mp4")
        try Data("hello\n".utf8).write(to: URL(fileURLWithPath: text))
        let sound = try clip("sound.mp4", ["-f", "lavfi", "-i", "sine=d=0.2"])
        let cases: [(String, ProducerError.Code)] = [
            (folder.file("none.mp4"), .notFound), (text, .badData), (sound, .badData), (folder.path, .badData),
        ]
        for (path, code) in cases {
            let error = #expect(throws: ProducerError.self) { try FileVideoSource(path: path) }
            if path != folder.path { #expect(error?.code == code, "\(path)") }
            #expect(error?.message.contains(path) == true)
        }
    }

    /// Uncompressed, so that there is something to damage.
    private static let sound = ["-f", "lavfi", "-i", "sine=d=2", "-c:a", "pcm_s16le"]

    @Test(arguments: ["a.mov", "a.mkv", "a.avi"])
    func `a file that breaks off plays as far as it goes, and then says so`(name: String) async throws {
        let path = try clip(
            name, NumberedClip.source(50) + Self.sound + NumberedClip.coded + ["-bf", "0", "-movflags", "+faststart"])
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        let whole = try await played(try source(path), ClipLog(time))
        #expect(whole.numbers == Array(0..<50) && whole.endings == [nil])
        bytes.removeLast(bytes.count * 2 / 5)
        try bytes.write(to: URL(fileURLWithPath: path))
        let seen = try await played(try source(path), ClipLog(time))
        #expect(seen.numbers.count >= 10 && seen.numbers.count < 45)
        #expect(seen.numbers.prefix(10) == Array(0..<10)[...])
        let error = try #require(seen.endings.first ?? nil)
        #expect(error.code == .badData && error.message.contains(path) && error.message.contains("damaged"))
    }

    @Test func `a file with rubbish in its middle plays on, and says so at its end`() async throws {
        let path = try clip("a.mkv", NumberedClip.source(50) + Self.sound + NumberedClip.coded)
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        for index in stride(from: bytes.count / 3, to: bytes.count / 2, by: 17) { bytes[index] = 0xA5 }
        try bytes.write(to: URL(fileURLWithPath: path))
        let seen = try await played(try source(path), ClipLog(time))
        #expect(seen.numbers.first == 0 && seen.numbers.last == 49)
        let error = try #require(seen.endings.first ?? nil)
        #expect(error.code == .badData && error.message.contains("damaged"))
    }

    @Test func `memory does not grow with what was played`() async throws {
        let path = try clip("a.mp4", NumberedClip.source(25, size: "640x360") + NumberedClip.coded)
        let rounds = Watched((count: 0, before: 0, after: 0))
        let log = ClipLog(time) { source, number in
            guard number == 24 else { return }
            rounds.change { rounds in
                rounds.count += 1
                if rounds.count == 5 { rounds.before = Self.residentBytes }
                if rounds.count == 45 {
                    rounds.after = Self.residentBytes
                    source.loops = false
                }
            }
        }
        _ = try await played(try source(path, loops: true), log)
        // A thousand pictures have 345 MB.
        #expect(rounds.value.after - rounds.value.before < 40 << 20, "\(rounds.value)")
    }

    /// Of this process (proc(5), statm).
    private static var residentBytes: Int {
        let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * 4096
    }
}

/// Starts what has ended, once.
private final class Restarter: VideoSourceObserver {
    let endings = Watched(0)
    func videoSource(_ videoSource: any VideoSource, didOutput videoSample: VideoSample) {}
    func videoSource(_ videoSource: any VideoSource, didEndWith error: ProducerError?) {
        guard endings.counted() == 1 else { return }
        try? (videoSource as? FileVideoSource)?.start()
    }
}
