internal import Foundation
internal import Glibc

/// Where a recording goes that nobody named: the videos folder, `NAME 2026-12-01 14-05-33.mp4`.
package enum RecordingName {
    /// A path that is not taken. The folder is made where it is missing.
    ///
    /// - Parameters:
    ///   - device: Whose picture it is.
    ///   - seconds: Since 1970; shown as local time.
    ///   - environment: With `HOME` and `XDG_CONFIG_HOME`.
    /// - Throws: ``MediaError/Code/io`` where the folder cannot be made.
    package static func path(
        for device: String, at seconds: Int, environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(MediaError) -> String {
        let folder = videosFolder(environment)
        do {
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw MediaError(.io, "\(folder): the videos folder cannot be made; give the recording a path")
        }
        let name = folder + "/" + fileName(device) + " " + stamp(seconds)
        var path = name + ".mp4"
        var number = 2
        while FileManager.default.fileExists(atPath: path) {
            path = "\(name)-\(number).mp4"
            number += 1
        }
        return path
    }

    /// `XDG_VIDEOS_DIR` of `user-dirs.dirs` (xdg-user-dirs, user-dirs.dirs(5)), else `~/Videos`.
    static func videosFolder(_ environment: [String: String]) -> String {
        let home = environment["HOME"] ?? "."
        let configuration = environment["XDG_CONFIG_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? home + "/.config"
        let text = (try? String(contentsOfFile: configuration + "/user-dirs.dirs", encoding: .utf8)) ?? ""
        for line in text.split(separator: "\n").reversed() {
            let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingCharacters(in: .whitespaces) }
            guard parts.count == 2, parts[0] == "XDG_VIDEOS_DIR" else { continue }
            // The file has paths in double quotes: absolute, or in the home folder.
            let path = parts[1].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
            if path.hasPrefix("$HOME/") { return home + path.dropFirst("$HOME".count) }
            if path.hasPrefix("/") { return path }
        }
        return home + "/Videos"
    }

    /// A device's name without what a file name cannot have, or would be hidden by.
    private static func fileName(_ device: String) -> String {
        let name = String(device.map { $0 == "/" || $0.isNewline ? "-" : $0 })
        let visible = String(name.drop { $0 == "." }).trimmingCharacters(in: .whitespaces)
        return visible.isEmpty ? "Camera" : visible
    }

    private static func stamp(_ seconds: Int) -> String {
        var (time, parts) = (time_t(seconds), tm())
        localtime_r(&time, &parts)
        var text = [CChar](repeating: 0, count: 32)
        // Colons are none of some file systems' characters.
        strftime(&text, text.count, "%Y-%m-%d %H-%M-%S", &parts)
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }
}
