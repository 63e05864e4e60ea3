internal import CLinuxShims
internal import Confinement
import Dispatch
import Glibc

/// Turns the first SIGINT, SIGTERM or SIGHUP into one call; the second ends the process at once with 130.
///
/// One for each process, made before anything that has to be finished; it lives as long as the process. SIGPIPE is
/// ignored from then on, since every write checks its result.
package final class SignalWatcher: Sendable {
    /// Held here alone: a source that is let go of is never heard again.
    private let source: Confined<(any DispatchSourceRead)?>

    /// - Parameter onSignal: called once, on a queue of its own, with the signal's number.
    package init(onSignal: @escaping @Sendable (Int32) -> Void) {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            // No descriptors left at the very start: signals keep their default action, which ends the process.
            source = Confined(on: DispatchQueue.main, nil)
            return
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let (input, output) = (ends[0], ends[1])
        let queue = DispatchQueue(label: "signals", qos: .userInteractive)
        let source = DispatchSource.makeReadSource(fileDescriptor: input, queue: queue)
        source.setEventHandler {
            var number: UInt8 = 0
            if read(input, &number, 1) == 1 { onSignal(Int32(number)) }
        }
        source.resume()
        linux_catch_ending_signals(output, ExitCode.interrupted.rawValue)
        self.source = Confined(on: queue, source)
    }

    /// How a command ends that a signal stopped and that finished all its files: 130 for SIGINT, else success,
    /// because a service manager asked.
    package static func exitCode(for signal: Int32) -> ExitCode { signal == SIGINT ? .interrupted : .success }
}
