internal import Glibc

/// What happens to a file that stands where a new one is to be.
package enum KeptFile {
    /// Renames a regular file that is not empty to `FILE~`, so that a command repeated from the history destroys
    /// nothing; an earlier `FILE~` gives way. Anything else (no file, a pipe, /dev/null) is left as it is.
    package static func setAside(_ path: String) throws(MediaError) {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_size > 0 else { return }
        // Another program's recording under way, which finds its file by its name at the end.
        let present = open(path, O_RDONLY | O_CLOEXEC)
        if present >= 0 {
            defer { close(present) }
            guard flock(present, LOCK_SH | LOCK_NB) == 0 || errno != EWOULDBLOCK else {
                throw MediaError(.exists, "\(path) is being recorded by another program; choose another name")
            }
        }
        guard rename(path, path + "~") == 0 else {
            let text = strerror(errno).map { String(cString: $0) } ?? ""
            throw MediaError(.exists, "\(path) exists and cannot be set aside as \(path)~: \(text)")
        }
    }
}
