internal import Glibc

/// A hidden name in the same folder, so that a rename stays within one file system.
func temporaryPath(beside path: String) -> String {
    let name = path.lastIndex(of: "/").map { path.index(after: $0) } ?? path.startIndex
    return "\(path[..<name]).\(path[name...]).\(getpid())-\(UInt32.random(in: 0...UInt32.max)).partial"
}

/// Puts a finished file in the place of another, or where none was.
func replace(_ path: String, by temporary: String) throws(MediaError) {
    // The new name must not reach the disk before the bytes do (rename(2) promises nothing about it).
    let descriptor = open(temporary, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw MediaError(ffmpeg: -errno, "cannot open \(temporary)", otherwise: .io) }
    defer { close(descriptor) }
    guard fdatasync(descriptor) == 0 else {
        throw MediaError(ffmpeg: -errno, "cannot write \(temporary)", otherwise: .io)
    }
    guard rename(temporary, path) == 0 else {
        throw MediaError(ffmpeg: -errno, "cannot put \(path) in place", otherwise: .io)
    }
}

func removeFile(_ path: String) { unlink(path) }
