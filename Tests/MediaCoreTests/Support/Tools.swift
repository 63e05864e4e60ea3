import Foundation

/// Runs one of FFmpeg's own programs: a judge that is not us.
enum Tool {
    /// What it wrote to standard output, and whether it ended well.
    static func run(_ name: String, _ arguments: [String]) throws -> (output: String, isSuccess: Bool) {
        let (data, isSuccess) = try runForBytes(name, arguments)
        return (String(decoding: data, as: UTF8.self), isSuccess)
    }

    static func runForBytes(_ name: String, _ arguments: [String]) throws -> (output: [UInt8], isSuccess: Bool) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [name] + arguments
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.run()
        let bytes = readAll(pipe)
        process.waitUntilExit()
        return (bytes, process.terminationStatus == 0)
    }

    /// Not `readDataToEndOfFile()`: it traps when a signal interrupts it.
    static func readAll(_ pipe: Pipe) -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(pipe.fileHandleForReading.fileDescriptor, &buffer, buffer.count)
            if count > 0 {
                bytes += buffer.prefix(count)
            } else if count == 0 || errno != EINTR {
                return bytes
            }
        }
    }

    /// One field of a stream for each of its lines, as ffprobe prints it.
    static func probe(_ path: String, _ entries: String, _ more: [String] = []) throws -> [String] {
        try run("ffprobe", ["-v", "error"] + more + ["-show_entries", entries, "-of", "default=nw=1:nk=1", path])
            .output.split(separator: "\n").map(String.init)
    }
}

/// A folder that is gone when the test is over.
final class TemporaryFolder {
    let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appendingPathComponent("media-core-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.appendingPathComponent(name).path }
    func write(_ text: String, to name: String) throws {
        try text.write(toFile: path(name), atomically: false, encoding: .utf8)
    }

    var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: url.path).sorted()) ?? [] }
}
