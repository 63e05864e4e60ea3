import Foundation
import Testing

@testable import MediaCore

@Suite struct RecordingNameTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `the desktop's videos folder is found, else it is the usual one`() throws {
        let home = ["HOME": "/home/me", "XDG_CONFIG_HOME": folder.url.path]
        #expect(RecordingName.videosFolder(home) == "/home/me/Videos")
        try folder.write(
            "# a comment\nXDG_MUSIC_DIR=\"$HOME/Music\"\nXDG_VIDEOS_DIR=\"$HOME/Filme\"\n", to: "user-dirs.dirs")
        #expect(RecordingName.videosFolder(home) == "/home/me/Filme")
        try folder.write("XDG_VIDEOS_DIR=\"/srv/videos\"\n", to: "user-dirs.dirs")
        #expect(RecordingName.videosFolder(home) == "/srv/videos")
        try folder.write("XDG_VIDEOS_DIR=\"relative\"\n", to: "user-dirs.dirs")
        #expect(RecordingName.videosFolder(home) == "/home/me/Videos")
    }

    @Test func `a name has the device and the time, and is not taken`() throws {
        let home = ["HOME": folder.url.path]
        let path = try RecordingName.path(for: "Front door", at: 1_700_000_000, environment: home)
        let pattern = #/Front door 2023-11-1[45] \d\d-\d\d-\d\d\.mp4/#
        let name = path.split(separator: "/").last.map(String.init) ?? ""
        #expect(name.wholeMatch(of: pattern) != nil, "\(name)")
        #expect(path == folder.path("Videos") + "/" + name)
        try folder.write("", to: "Videos/" + name)
        let next = try RecordingName.path(for: "Front door", at: 1_700_000_000, environment: home)
        #expect(next == path.replacing(".mp4", with: "-2.mp4"))
    }

    @Test func `a name leads nowhere else, and is not hidden`() throws {
        let home = ["HOME": folder.url.path]
        for device in ["../../etc/passwd", ".hidden", "a/b", "", "  "] {
            let path = try RecordingName.path(for: device, at: 0, environment: home)
            let parts = path.dropFirst(folder.url.path.count).split(separator: "/")
            #expect(parts.count == 2 && parts[0] == "Videos")
            #expect(parts.last?.first != "." && parts.last?.first != " ")
        }
    }

    @Test func `where the folder cannot be made, that is said`() throws {
        try folder.write("", to: "file")
        #expect {
            try RecordingName.path(for: "Door", at: 0, environment: ["HOME": folder.path("file")])
        } throws: { ($0 as? MediaError)?.code == .io }
    }
}
