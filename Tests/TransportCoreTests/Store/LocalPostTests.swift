import Confinement
import Dispatch
import Foundation
import Testing

@testable import TransportCore

/// What programs of one user tell each other about themselves.
@Suite struct LocalPostTests {
    private let folder: TemporaryFolder
    private let directory: StateDirectory
    private let queue = DispatchQueue(label: "post")

    init() throws {
        folder = try TemporaryFolder()
        // Longer than the address of a socket may be.
        let path = folder.path + "/" + String(repeating: "long/", count: 30)
        directory = try StateDirectory(chosen: path, program: "camo-producer") { _ in }
    }

    private var texts: [String] {
        LocalPost.answers(in: directory).map { String(decoding: $0, as: UTF8.self) }
    }
    private var files: [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: directory.path)) ?? []).sorted()
    }

    @Test func `all that run answer, as they are when they are asked`() throws {
        #expect(texts.isEmpty)
        let mood = Locked("well")
        let first = try LocalPost(in: directory, on: queue) { Array("first: \(mood.withLock { $0 })".utf8) }
        let second = try LocalPost(in: directory, on: queue) { Array(repeating: 65, count: 60_000) }
        #expect(texts.sorted().map { $0.prefix(11) } == ["AAAAAAAAAAA", "first: well"])
        #expect(texts.map(\.utf8.count).max() == 60_000)
        mood.withLock { $0 = "ill" }
        second.close()
        #expect(texts == ["first: ill"])
        let mode = try FileManager.default.attributesOfItem(atPath: directory.path + "/" + files[0])[.posixPermissions]
        #expect(mode as? Int == 0o600)
        first.close()
        #expect(texts.isEmpty && files.isEmpty)
    }

    @Test func `what a process left that was killed is cleared away, and nothing else`() throws {
        let post = try LocalPost(in: directory, on: queue) { Array("here".utf8) }
        let name = try #require(files.first)
        // A socket that nobody listens at any more, under the name of another process.
        let dead = directory.path + "/running-1-1"
        let move = Process()
        move.executableURL = URL(filePath: "/usr/bin/perl")
        move.arguments = [
            "-MSocket", "-e",
            "chdir shift; socket(S, AF_UNIX, SOCK_STREAM, 0) and bind(S, sockaddr_un(shift)) or die",
            directory.path, "running-1-1",
        ]
        try move.run()
        move.waitUntilExit()
        #expect(FileManager.default.fileExists(atPath: dead))
        _ = FileManager.default.createFile(atPath: directory.path + "/running-2-1.new", contents: nil)
        _ = FileManager.default.createFile(atPath: directory.path + "/devices.json", contents: nil)
        #expect(texts == ["here"])
        #expect(files == ["devices.json", name, "running-2-1.new"].sorted())
        post.close()
    }

    @Test func `one that does not answer is not waited for`() throws {
        let (stuck, isFree) = (DispatchQueue(label: "stuck"), DispatchSemaphore(value: 0))
        let post = try LocalPost(in: directory, on: stuck) {
            isFree.wait()
            return []
        }
        let other = try LocalPost(in: directory, on: queue) { Array("here".utf8) }
        let answers = LocalPost.answers(in: directory, patience: .milliseconds(20))
        #expect(answers.map { String(decoding: $0, as: UTF8.self) } == ["here"])
        isFree.signal()
        for post in [post, other] { post.close() }
    }
}
