internal import Glibc

/// Sole owner of a file that is written from front to back.
final class OutputFile {
    let path: String
    private(set) var byteCount: Int64 = 0
    /// The errno that ended writing.
    private(set) var failure: Int32 = 0
    private let descriptor: Int32

    init(path: String, replacesExisting: Bool) throws(MediaError) {
        // A file that grows beyond RLIMIT_FSIZE raises SIGXFSZ, whose default is to end the process; ignored, write(2)
        // fails with EFBIG instead (setrlimit(2)).
        if let present = currentAction(SIGXFSZ), present == nil { signal(SIGXFSZ, SIG_IGN) }
        self.path = path
        // A pipe that nobody reads would block here for ever.
        let flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NONBLOCK | (replacesExisting ? 0 : O_EXCL)
        descriptor = open(path, flags, 0o666)
        guard descriptor >= 0 else {
            if errno == ENXIO { throw MediaError(.io, "cannot write to \(path): nobody reads from it") }
            throw MediaError(ffmpeg: -errno, "cannot create \(path)", otherwise: .io)
        }
        let isOurs = flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK
        guard isOurs else {
            close(descriptor)
            throw MediaError(.exists, "\(path) is being written by another program; choose another name")
        }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        if replacesExisting { _ = ftruncate(descriptor, 0) }
    }

    deinit { close(descriptor) }

    /// - Returns: 0, or an errno.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        guard failure == 0 else { return failure }
        var rest = bytes
        while let base = rest.baseAddress, !rest.isEmpty {
            let written = Glibc.write(descriptor, base, rest.count)
            if written < 0 {
                if errno == EINTR { continue }
                failure = errno
                return failure
            }
            byteCount += Int64(written)
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(written))
        }
        return 0
    }

    /// Cuts off what was written last. Nothing happens to what is no regular file.
    func truncate(to count: Int64) {
        guard ftruncate(descriptor, off_t(count)) == 0 else { return }
        byteCount = count
    }

    /// Free bytes on its file system for this user; nil where that cannot be known.
    var freeBytes: Int64? {
        var info = statvfs()
        guard fstatvfs(descriptor, &info) == 0 else { return nil }
        return Int64(
            clamping: UInt64(info.f_bavail).multipliedReportingOverflow(by: UInt64(info.f_frsize)).partialValue)
    }

    /// Of what its path leads to, which may have been put in its place; nil where there is nothing.
    var namedByteCount: Int64? {
        var info = stat()
        return stat(path, &info) == 0 ? Int64(info.st_size) : nil
    }

    /// No name leads to it any more: it was removed while it was written.
    var isRemoved: Bool {
        var info = stat()
        return fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFREG && info.st_nlink == 0
    }

    /// Its path still leads to it: it was neither removed nor renamed, and nothing was put in its place.
    var isInPlace: Bool {
        var (own, named) = (stat(), stat())
        return fstat(descriptor, &own) == 0 && stat(path, &named) == 0 && own.st_dev == named.st_dev
            && own.st_ino == named.st_ino
    }

    var isRegular: Bool {
        var info = stat()
        return fstat(descriptor, &info) == 0 && info.st_mode & S_IFMT == S_IFREG
    }
}

/// The handler of a signal: `.some(nil)` is the default action; nil when it cannot be asked.
private func currentAction(_ number: Int32) -> (@convention(c) (Int32) -> Void)?? {
    var action = sigaction()
    guard sigaction(number, nil, &action) == 0 else { return nil }
    return .some(action.__sigaction_handler.sa_handler)
}
