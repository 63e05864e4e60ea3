internal import Glibc

/// A lock between processes, and between owners in one process: flock(2) on a file of its own. The kernel lets go of it
/// when its holder dies.
///
/// Never on the file that it protects: that one is replaced, and the lock would stay with the old one.
struct FileLock: ~Copyable {
    private let descriptor: FileDescriptor

    /// How long to wait for others, who hold it for as long as a small file takes to be written.
    static let patienceMilliseconds = 5_000
    private static let stepMilliseconds = 5

    /// - Parameter patienceMilliseconds: 0 tries once. The error is then `busy`.
    init(_ path: String, patienceMilliseconds: Int = FileLock.patienceMilliseconds) throws(TransportError) {
        var waited = 0
        while true {
            let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
            guard number >= 0 else { throw TransportError(errno: errno, "can't open the lock file \(path)") }
            let descriptor = FileDescriptor(adopting: number)
            if flock(number, LOCK_EX | LOCK_NB) == 0 {
                if Self.isStillAt(path, number) {
                    self.descriptor = descriptor
                    return
                }
                // Somebody deleted the file, and others lock a new one: so must we.
                continue
            }
            guard errno == EWOULDBLOCK || errno == EINTR else {
                throw TransportError(errno: errno, "can't lock \(path)")
            }
            guard waited < patienceMilliseconds else {
                throw TransportError(
                    .busy, "\(path) is held by another process of ours that doesn't go on. End it, then try again")
            }
            // flock(2) can't wait for a limited time.
            usleep(UInt32(Self.stepMilliseconds) * 1_000)
            waited += Self.stepMilliseconds
        }
    }

    private static func isStillAt(_ path: String, _ number: Int32) -> Bool {
        var (mine, there) = (stat(), stat())
        return fstat(number, &mine) == 0 && stat(path, &there) == 0
            && mine.st_ino == there.st_ino && mine.st_dev == there.st_dev
    }
}
