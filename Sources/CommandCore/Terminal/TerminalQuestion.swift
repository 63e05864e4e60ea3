internal import Confinement
import Glibc

/// A question to whoever sits at the terminal, while the program goes on with its work.
package enum TerminalQuestion {
    /// Whether anybody can be asked: standard input and error are a terminal, and this program is the one in front (a
    /// read in the background would stop it, termios(3)).
    package static var isPossible: Bool {
        Terminal.standardInput.isTerminal && Terminal.standardError.isTerminal
            && tcgetpgrp(STDIN_FILENO) == getpgrp()
    }

    /// Asks, and waits for a line on standard input. What was typed before is thrown away: nobody consents to a
    /// question that they haven't seen.
    ///
    /// - Parameter show: Shows the question.
    /// - Returns: Whether the answer is a yes; an end of input, and the task's being cancelled, are a no.
    package static func isAnsweredYes(_ show: () -> Void) async -> Bool {
        await TerminalKeys.duringQuestion {
            tcflush(STDIN_FILENO, TCIFLUSH)
            show()
            return await isAnsweredYes(input: STDIN_FILENO)
        }
    }

    static func isAnsweredYes(input: Int32) async -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        let (wait, wake) = (ends[0], ends[1])
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        // Both ends stay open until the thread has ended and nobody can cancel any more.
        defer {
            close(wait)
            close(wake)
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(ThreadError) {
                    try DetachedThread("question") { continuation.resume(returning: readYes(input, until: wait)) }
                } catch {
                    continuation.resume(returning: false)
                }
            }
        } onCancel: {
            var byte: UInt8 = 0
            write(wake, &byte, 1)
        }
    }

    /// Blocks its thread until there is a line, an end, or something at `stop`.
    private static func readYes(_ input: Int32, until stop: Int32) -> Bool {
        var line: [UInt8] = []
        while line.count < Confirmation.longestAnswer {
            var waited = [
                pollfd(fd: stop, events: Int16(POLLIN), revents: 0),
                pollfd(fd: input, events: Int16(POLLIN), revents: 0),
            ]
            let count = poll(&waited, nfds_t(waited.count), -1)
            if count < 0, errno == EINTR { continue }
            guard count > 0, waited[0].revents == 0 else { return false }
            var byte: UInt8 = 0
            guard read(input, &byte, 1) == 1, byte != UInt8(ascii: "\n") else { break }
            line.append(byte)
        }
        return Confirmation.isYes(line)
    }
}
