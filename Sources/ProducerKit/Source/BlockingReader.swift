internal import Confinement
internal import DeviceCore
internal import Glibc

/// Reads a descriptor on a thread that sleeps in poll(2) beside a wake-up, so that it can be ended whatever the other
/// end does.
final class BlockingReader: Sendable {
    let descriptor: Int32
    private let wake: WakeUp

    /// F_SETPIPE_SZ of fcntl(2), which the C library's module does not show: F_LINUX_SPECIFIC_BASE + 7.
    private static let setPipeSize: Int32 = 1024 + 7

    enum Outcome: Hashable, Sendable {
        /// The buffer is full.
        case full
        /// The input ended after so many bytes.
        case ended(after: Int)
        /// Nothing came in the time that was given.
        case quiet
        case stopped
        case failed(Int32)
    }

    /// Nil when the process has no descriptors left.
    init?(_ descriptor: Int32) {
        guard let wake = WakeUp() else { return nil }
        (self.descriptor, self.wake) = (descriptor, wake)
        // A pipe holds 64 KiB: a picture would go through it in sixty pieces, with a switch of threads for each.
        // Refused for files and terminals, and beyond /proc/sys/fs/pipe-max-size; both are fine.
        _ = fcntl(descriptor, Self.setPipeSize, Int32(1 << 20))
    }

    /// Ends the read that waits, and all after it. Any thread.
    func stop() { wake.signal() }

    /// A file on a disk gives everything at once: it has no pace of its own.
    var isRegularFile: Bool {
        var status = stat()
        return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    /// Fills `buffer`. The reader's thread.
    ///
    /// - Parameter onFirstBytes: Called when the first bytes are there.
    func fill(_ buffer: UnsafeMutableRawBufferPointer, onFirstBytes: () -> Void = {}) -> Outcome {
        var count = 0
        while count < buffer.count {
            switch readSome(UnsafeMutableRawBufferPointer(rebasing: buffer[count...])) {
            case .full: return .full
            case .ended(let more):
                if more == 0 { return .ended(after: count) }
                if count == 0 { onFirstBytes() }
                count += more
            case .stopped, .quiet: return .stopped
            case .failed(let number): return .failed(number)
            }
        }
        return .full
    }

    /// What is there, at least one byte: `ended(after:)` with its count, 0 at the end.
    ///
    /// - Parameter patience: Waited for at most, in milliseconds; nil: as long as it takes.
    func readSome(_ buffer: UnsafeMutableRawBufferPointer, patience: Int32? = nil) -> Outcome {
        while true {
            var entries = [
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&entries, 2, patience ?? -1)
            guard ready >= 0 || errno == EINTR else { return .failed(errno) }
            if ready == 0 { return .quiet }
            if entries[1].revents != 0 { return .stopped }
            guard entries[0].revents != 0 else { continue }
            let count = read(descriptor, buffer.baseAddress, buffer.count)
            if count >= 0 { return .ended(after: count) }
            if errno != EINTR, errno != EAGAIN { return .failed(errno) }
        }
    }

    /// Sleeps until `time` on `clock`, or until it is stopped: false then.
    func sleep(until time: MonotonicTime, now: MonotonicTime) -> Bool {
        let left = time - now
        return left.count <= 0 || !wake.wait(atMost: left)
    }
}
