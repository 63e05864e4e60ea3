import Confinement
import Foundation
import Testing

/// The built `camo-studio` as a process, with its output in files.
final class StudioProgram: Sendable {
    private let process: Locked<Process>
    private let ended = DispatchSemaphore(value: 0)
    private let folder: TemporaryFolder
    let pid: Int32

    /// Beside the test bundle, where SwiftPM puts everything that it builds.
    static let path: String = {
        let bundle = CommandLine.arguments.first { $0.hasSuffix(".xctest") } ?? CommandLine.arguments[0]
        return URL(filePath: bundle).deletingLastPathComponent().appending(path: "camo-studio").path
    }()

    /// - Parameter output: where standard output goes; nil: a file that ``output`` reads.
    init(_ arguments: [String], output: FileHandle? = nil) throws {
        folder = try TemporaryFolder()
        let process = Process()
        process.executableURL = URL(filePath: Self.path)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try output ?? Self.newFile(folder.file("out"))
        process.standardError = try Self.newFile(folder.file("err"))
        process.terminationHandler = { [ended] _ in ended.signal() }
        try process.run()
        pid = process.processIdentifier
        self.process = Locked(process)
    }

    deinit { if process.withLock({ $0.isRunning }) { kill(pid, SIGKILL) } }

    private static func newFile(_ path: String) throws -> FileHandle {
        _ = FileManager.default.createFile(atPath: path, contents: nil)
        return try FileHandle(forWritingTo: URL(filePath: path))
    }

    var outputBytes: [UInt8] { folder.contents(of: "out") ?? [] }
    var output: String { String(decoding: outputBytes, as: UTF8.self) }
    var errors: String { String(decoding: folder.contents(of: "err") ?? [], as: UTF8.self) }
    var outputByteCount: Int {
        ((try? FileManager.default.attributesOfItem(atPath: folder.file("out")))?[.size] as? Int) ?? 0
    }

    /// A program that was told to end ends within two seconds, whatever hangs: it says so then.
    var wasLeftBehind: Bool { errors.contains("left behind") }

    func signal(_ number: Int32) { kill(pid, number) }

    /// The exit code; nil when it is still running after `seconds`, and then it is killed.
    func exitCode(within seconds: Double = 10) async -> Int32? {
        let hasEnded = await offThread { [ended] in ended.wait(timeout: .now() + seconds) == .success }
        guard hasEnded else {
            kill(pid, SIGKILL)
            return nil
        }
        return process.withLock { $0.terminationReason == .exit ? $0.terminationStatus : -$0.terminationStatus }
    }

    /// The JSON events so far.
    func events(_ text: String) -> [[String: Any]] {
        text.split(separator: "\n").compactMap {
            try? JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any]
        }
    }
}
