internal import Glibc

/// One small private file in a state directory: read whole, replaced whole.
struct StateFile: Sendable {
    let path: String
    /// Where to say that something about the file was put right.
    let report: @Sendable (String) -> Void

    /// Its bytes, at most `limit` and one more, by which the reader sees that it is too long. Nil if there is none.
    ///
    /// A file that others may read is closed to them, and that is reported.
    func read(atMost limit: Int) throws(TransportError) -> [UInt8]? {
        // O_NONBLOCK: a pipe in its place must not hang the program.
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else {
            switch errno {
            case ENOENT: return nil
            case ELOOP: throw TransportError(.system, "\(path) is a link; it has to be a file. Replace it by one")
            default: throw TransportError(errno: errno, "can't read \(path)")
            }
        }
        let file = FileDescriptor(adopting: number)
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw TransportError(errno: errno, "can't read \(path)") }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw TransportError(.system, "\(path) is not a file. Move it out of the way")
        }
        if status.st_mode & 0o077 != 0 {
            let isMended = fchmod(file.number, 0o600) == 0
            report("\(path) could be read by others; \(isMended ? "closed to them" : "run: chmod 600 \(path)")")
        }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        while bytes.count <= limit {
            let count = Glibc.read(file.number, &chunk, min(limit + 1 - bytes.count, chunk.count))
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw TransportError(errno: errno, "can't read \(path)") }
            if count == 0 { break }
            bytes += chunk.prefix(count)
        }
        return bytes
    }

    /// Replaces the file, or makes it. After a crash at any moment the old or the new one is there, whole; after an
    /// error the old one. Never readable by others. Under the directory's lock.
    ///
    /// Foundation's atomic write lets others read, and doesn't make the rename last.
    func replace(with bytes: [UInt8]) throws(TransportError) {
        // One name, since only the lock's holder writes: what a killed process left behind is used up here.
        let new = path + ".new"
        unlink(new)
        do throws(TransportError) {
            try write(bytes, to: new)
            guard rename(new, path) == 0 else { throw TransportError(errno: errno, "can't replace \(path)") }
        } catch {
            unlink(new)
            throw error
        }
        // Makes the rename last through a power cut. Some file systems can't; then it lasts as long as they say.
        let directory = open(path.parentDirectory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        if directory >= 0 { fsync(FileDescriptor(adopting: directory).number) }
    }

    private func write(_ bytes: [UInt8], to new: String) throws(TransportError) {
        func failure(_ number: Int32) -> TransportError {
            let error = TransportError(errno: number, "can't write \(path), which stays as it was")
            guard error.code == .diskFull else { return error }
            return TransportError(errno: number, "can't write \(path), which stays as it was", advice: "Make room")
        }
        let number = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw failure(errno) }
        let file = FileDescriptor(adopting: number)
        // The umask may have taken bits away.
        guard fchmod(file.number, 0o600) == 0 else { throw failure(errno) }
        let written = FileSizeSignal.withoutIt { () -> Int32 in
            var offset = 0
            while offset < bytes.count {
                let count = bytes.withUnsafeBytes {
                    Glibc.write(file.number, $0.baseAddress?.advanced(by: offset), $0.count - offset)
                }
                if count < 0, errno == EINTR { continue }
                if count < 0 { return errno }
                offset += count
            }
            return fsync(file.number) == 0 ? 0 : errno
        }
        guard written == 0 else { throw failure(written) }
    }
}

/// SIGXFSZ, by which the kernel kills a process that writes past RLIMIT_FSIZE (setrlimit(2)) unless it isn't
/// delivered: then write(2) says EFBIG, which can be reported.
private enum FileSizeSignal {
    static func withoutIt<Result>(_ body: () -> Result) -> Result {
        var (signal, before, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&signal)
        sigaddset(&signal, SIGXFSZ)
        sigpending(&pending)
        let wasPending = sigismember(&pending, SIGXFSZ) == 1
        pthread_sigmask(SIG_BLOCK, &signal, &before)
        let result = body()
        // It comes to the thread that wrote: take it away before the mask is put back.
        var moment = timespec(tv_sec: 0, tv_nsec: 0)
        if !wasPending { while sigtimedwait(&signal, nil, &moment) > 0 {} }
        pthread_sigmask(SIG_SETMASK, &before, nil)
        return result
    }
}

extension String {
    /// Everything before the last slash: of an absolute path, the directory it is in.
    var parentDirectory: String {
        guard let slash = lastIndex(of: "/") else { return "." }
        return slash == startIndex ? "/" : String(self[..<slash])
    }
}
