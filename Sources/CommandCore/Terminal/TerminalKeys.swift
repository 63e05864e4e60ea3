import CamoTypes
internal import Confinement
import Glibc

/// Keys that act as they are pressed, while the program goes on with its work.
///
/// The terminal then neither waits for a line nor shows what is typed (termios(3): ICANON and ECHO off), but for as long as
/// somebody is asked something (``TerminalQuestion``), and where another program is in front of it. Ctrl-C stays a signal.
package final class TerminalKeys: Sendable {
    private struct State {
        /// How the terminal was.
        var before: termios?
        /// How many ask for a line at this time.
        var questions = 0
        var isOver = false
    }

    private let input: Int32
    private let patience: Microseconds
    private let isInFront: @Sendable () -> Bool
    private let state = Locked(State())
    private let wake: WakeUp

    /// The one that whoever asks for a line has to hold up.
    private static let current = Locked<TerminalKeys?>(nil)
    /// Hears of keys from now on.
    ///
    /// - Parameter pressed: Called on a thread of its own with each byte that a key sends.
    /// - Returns: Nil where nobody can press any: standard input or error is no terminal, or this program is not in front.
    package static func watch(_ pressed: @escaping @Sendable (UInt8) -> Void) -> TerminalKeys? {
        guard TerminalQuestion.isPossible else { return nil }
        let keys = TerminalKeys(input: STDIN_FILENO, isInFront: { TerminalQuestion.isPossible }, pressed)
        current.withLock { $0 = keys }
        return keys
    }

    /// - Parameters:
    ///   - input: A terminal.
    ///   - patience: How long it may take until a program that comes to the front hears of keys.
    ///   - isInFront: This program may use it now: what others do in the background stops them (termios(3)).
    ///   - pressed: As above.
    init?(
        input: Int32, patience: Microseconds = .seconds(Int64(1)), isInFront: @escaping @Sendable () -> Bool,
        _ pressed: @escaping @Sendable (UInt8) -> Void
    ) {
        guard let wake = WakeUp() else { return nil }
        (self.input, self.patience, self.isInFront, self.wake) = (input, patience, isInFront, wake)
        do throws(ThreadError) {
            try DetachedThread("keys") { [self] in run(pressed) }
        } catch {
            return nil
        }
    }

    /// Hears of no more keys; the terminal is as it was.
    package func end() {
        Self.current.withLock { if $0 === self { $0 = nil } }
        state.withLock { state in
            state.isOver = true
            giveBack(&state)
        }
        wake.signal()
    }

    /// Leaves the terminal to whoever asks for a line.
    static func duringQuestion<Answer>(_ ask: () async -> Answer) async -> Answer {
        let keys = current.withLock { $0 }
        keys?.hold()
        defer { keys?.goOn() }
        return await ask()
    }

    func hold() {
        state.withLock { state in
            state.questions += 1
            giveBack(&state)
        }
    }

    func goOn() { state.withLock { $0.questions -= 1 } }

    private func run(_ pressed: (UInt8) -> Void) {
        while let isOurs = take() {
            var entries = [
                pollfd(fd: wake.descriptor, events: Int16(POLLIN), revents: 0),
                pollfd(fd: isOurs ? input : -1, events: Int16(POLLIN), revents: 0),
            ]
            // Whoever had the terminal in between, a shell after Ctrl-Z, may have left it otherwise.
            guard poll(&entries, nfds_t(entries.count), PollTime.milliseconds(patience)) > 0,
                entries[1].revents != 0
            else { continue }
            guard let bytes = read() else { return }
            for byte in bytes { pressed(byte) }
        }
    }

    /// Whether keys are for this program now, and then they come one by one. Nil when it is over.
    private func take() -> Bool? {
        state.withLock { state in
            guard !state.isOver else { return nil }
            guard state.questions == 0, isInFront() else { return false }
            var now = termios()
            guard tcgetattr(input, &now) == 0 else { return false }
            guard now.c_lflag & tcflag_t(ICANON | ECHO) != 0 else { return true }
            if state.before == nil { state.before = now }
            now.c_lflag &= ~tcflag_t(ICANON | ECHO)
            // VTIME and VMIN: a read takes what there is.
            (now.c_cc.5, now.c_cc.6) = (0, 0)
            return tcsetattr(input, TCSANOW, &now) == 0
        }
    }

    /// Nil: nothing ever comes again.
    private func read() -> [UInt8]? {
        // With the lock: not what is typed as an answer.
        state.withLock { state in
            guard state.questions == 0, !state.isOver, isInFront() else { return [] }
            var bytes = [UInt8](repeating: 0, count: 32)
            let count = Glibc.read(input, &bytes, bytes.count)
            // The terminal has gone (EIO).
            if count < 0 { return errno == EINTR || errno == EAGAIN ? [] : nil }
            return Array(bytes.prefix(count))
        }
    }

    private func giveBack(_ state: inout State) {
        guard var before = state.before, isInFront() else { return }
        tcsetattr(input, TCSANOW, &before)
        state.before = nil
    }
}
