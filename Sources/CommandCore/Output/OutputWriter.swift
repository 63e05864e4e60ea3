import Glibc

/// Why standard output took no more.
package enum OutputError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The reader is gone (EPIPE): end quietly, with success. `… | head -n 1` is not a failure.
    case readerGone
    /// ``OutputWriter/cancel()`` was called.
    case cancelled
    /// The system's error number: a full disk, a broken terminal.
    case failed(errno: Int32)

    package var description: String {
        switch self {
        case .readerGone: "whoever read the output has gone"
        case .cancelled: "writing the output was cancelled"
        case .failed(let number): "cannot write the output: \(String(cString: strerror(number)))"
        }
    }
}

/// Writes whole buffers to a descriptor that others may share: a pipe, a terminal, a file.
///
/// One thread writes at a time; ``cancel()`` may come from any thread and ends a write that waits for its reader.
package final class OutputWriter: Sendable {
    private let descriptor: Int32
    private let isOwned: Bool
    /// A pipe that becomes readable once the writer is cancelled.
    private let cancellation: (read: Int32, write: Int32)

    /// Does not close `descriptor`.
    ///
    /// A pipe is opened a second time, through /proc/self/fd, to be non-blocking without making it so for the
    /// programs that share the first one (O_NONBLOCK belongs to the open file description, open(2)). Not so a file,
    /// whose offset and O_APPEND would be lost, nor a terminal.
    package init(_ descriptor: Int32) {
        // A write to a closed pipe is to fail with EPIPE, not to kill the process.
        signal(SIGPIPE, SIG_IGN)
        var status = stat()
        var own: Int32 = -1
        if fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFIFO {
            own = open("/proc/self/fd/\(descriptor)", O_WRONLY | O_NONBLOCK | O_CLOEXEC)
        }
        isOwned = own >= 0
        self.descriptor = own >= 0 ? own : descriptor
        var ends: [Int32] = [-1, -1]
        // Out of descriptors: poll(2) passes over negative ones, and `cancel` does nothing.
        if pipe(&ends) == 0 {
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        }
        cancellation = (ends[0], ends[1])
    }

    deinit {
        if isOwned { close(descriptor) }
        if cancellation.read >= 0 { close(cancellation.read) }
        if cancellation.write >= 0 { close(cancellation.write) }
    }

    package static let standardOutput = OutputWriter(STDOUT_FILENO)

    /// Ends the write under way and all later ones with ``OutputError/cancelled``.
    package func cancel() {
        var byte: UInt8 = 1
        _ = Glibc.write(cancellation.write, &byte, 1)
    }

    package func write(_ text: String) throws(OutputError) {
        var text = text
        // `withUTF8` has no typed throws.
        let result = text.withUTF8 { bytes in
            Result { () throws(OutputError) in try write(UnsafeRawBufferPointer(bytes)) }
        }
        try result.get()
    }

    /// Returns when all of `bytes` is written; waits for a reader that is slow.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(OutputError) {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = Glibc.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
            if count >= 0 {
                rest = rest.dropFirst(count)
                continue
            }
            switch errno {
            case EINTR: continue
            // A terminal or pipe that a program before us made non-blocking.
            case EAGAIN: try waitUntilWritable()
            case EPIPE: throw .readerGone
            case let number: throw .failed(errno: number)
            }
        }
    }

    private func waitUntilWritable() throws(OutputError) {
        var watched = [
            pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0),
            pollfd(fd: cancellation.read, events: Int16(POLLIN), revents: 0),
        ]
        while poll(&watched, 2, -1) < 0 {
            guard errno == EINTR else { throw .failed(errno: errno) }
        }
        if watched[1].revents != 0 { throw .cancelled }
    }
}
