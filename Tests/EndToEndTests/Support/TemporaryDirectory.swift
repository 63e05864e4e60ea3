import Foundation

/// A folder that goes with its test.
struct TemporaryDirectory: Sendable {
    let path: String

    init(_ label: String) throws {
        var template = Array("\(NSTemporaryDirectory())/camo-\(label)-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw RigError(errno: errno, "mkdtemp for \(label)") }
        path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes it with all that is in it.
    func remove() { try? FileManager.default.removeItem(atPath: path) }
}
