import Confinement
import FoundationEssentials
import Glibc

@testable import TransportCore

/// A directory of a test's own, gone with it; and what was reported about the files in it.
final class TemporaryDirectory: Sendable {
    let path: String
    private let lines = Locked<[String]>([])

    init() {
        let base = FileManager.default.temporaryDirectory.path
        var template = Array("\(base)/camo-test-XXXXXX".utf8CString)
        path = template.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress, let made = mkdtemp(start) else {
                fatalError("no temporary directory")
            }
            return String(cString: made)
        }
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    var reports: [String] { lines.withLock { $0 } }

    func state(_ name: String = "state") throws -> StateDirectory {
        try StateDirectory(chosen: "\(path)/\(name)", program: "camo-test") { [lines] line in
            lines.withLock { $0.append(line) }
        }
    }

    func bytes(_ name: String) -> [UInt8]? {
        FileManager.default.contents(atPath: "\(path)/\(name)").map(Array.init)
    }

    func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o600) {
        // At once, since stores of the same test may be watching.
        let number = open("\(path)/written", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        _ = bytes.withUnsafeBytes { Glibc.write(number, $0.baseAddress, $0.count) }
        fchmod(number, mode)
        close(number)
        rename("\(path)/written", "\(path)/\(name)")
    }

    func remove(_ name: String) throws { try FileManager.default.removeItem(atPath: "\(path)/\(name)") }

    func names(in name: String = "state") -> [String] {
        ((try? FileManager.default.contentsOfDirectory(atPath: "\(path)/\(name)")) ?? []).sorted()
    }

    func mode(_ name: String) -> mode_t? {
        var status = stat()
        return lstat("\(path)/\(name)", &status) == 0 ? status.st_mode & 0o7777 : nil
    }
}
