import CamoTypes
import CommandCore
import Confinement
import Glibc

/// Writes numbered pictures into a pipe at an even pace, on a queue of its own, and remembers when.
final class FrameFeeder: Sendable {
    struct Log: Sendable {
        /// When the first byte of picture n was about to be written.
        var started: [MonotonicTime] = []
        /// How much later than planned that was.
        var lateness: [Microseconds] = []
        var failure: OutputError?
        var isStopped = false
    }

    private let log = Locked(Log())
    private let clock = SystemClock()

    /// Feeds until ``stop()``, or until the reader goes. The pipe stays open.
    func feed(_ content: Confined<Content>, into descriptor: Int32, framesPerSecond: Int) {
        content.async { [self] content in
            // The pipe itself, not `OutputWriter`'s second, non-blocking opening of it: writing is all this thread does.
            let begin = clock.now + .milliseconds(20)
            for number in 0...BarCode.largest {
                let due = begin + Microseconds(Int64(number) * 1_000_000 / Int64(framesPerSecond))
                clock.sleep(until: due)
                guard !log.withLock({ $0.isStopped }) else { return }
                let picture = content.picture(number)
                let now = clock.now
                log.withLock { log in
                    log.started.append(now)
                    log.lateness.append(now - due)
                }
                if let error = Self.write(picture, to: descriptor) {
                    log.withLock { $0.failure = error }
                    return
                }
            }
        }
    }

    func stop() { log.withLock { $0.isStopped = true } }

    /// When picture `number` went in; nil when it has not.
    func started(_ number: Int) -> MonotonicTime? {
        log.withLock { $0.started.indices.contains(number) ? $0.started[number] : nil }
    }

    var snapshot: Log { log.withLock { $0 } }

    private static func write(_ bytes: UnsafeRawBufferPointer, to descriptor: Int32) -> OutputError? {
        var done = 0
        while done < bytes.count {
            let count = Glibc.write(descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return errno == EPIPE ? .readerGone : .failed(errno: errno) }
            done += count
        }
        return nil
    }
}
