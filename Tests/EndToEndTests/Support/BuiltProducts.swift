import Foundation

/// The programs under test: built next to the test bundle, which on Linux is the program that runs the tests; or those
/// of another build (release, a sanitizer's), in the folder that `CAMO_TEST_PRODUCTS` names.
enum BuiltProducts {
    static let directory: URL = {
        if let other = ProcessInfo.processInfo.environment["CAMO_TEST_PRODUCTS"], !other.isEmpty {
            return URL(fileURLWithPath: other, isDirectory: true)
        }
        let bundle = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        return URL(fileURLWithPath: bundle).deletingLastPathComponent()
    }()

    /// The path of `name`: one of ours, or else of the system's (`ffmpeg`), or a path as it is.
    static func path(of name: String) throws -> String {
        if name.contains("/") { return name }
        let built = directory.appendingPathComponent(name).path
        if FileManager.default.isExecutableFile(atPath: built) { return built }
        let search = ProcessInfo.processInfo.environment["PATH"] ?? ""
        // Not every user's PATH has the system's programs.
        for folder in search.split(separator: ":").map(String.init) + ["/usr/sbin", "/sbin"] {
            let path = "\(folder)/\(name)"
            if FileManager.default.isExecutableFile(atPath: path) { return path }
        }
        throw RigError("\(name) is neither in \(directory.path) nor in PATH: build it, or run scripts/setup")
    }
}
