internal import CALSA
import Confinement
import Glibc

/// What the ALSA library writes to stderr by itself: pages of it where there is no sound card.
///
/// It goes to a closure for debugging, or nowhere. The library's handler for one thread is used
/// (`snd_lib_error_set_local`), so that a program that has set its own handler keeps it on its own threads.
package enum ALSAChatter {
    private static let listener = Locked<(@Sendable (String) -> Void)?>(nil)

    /// Sets who is told, each line without its end, on the thread where it arose. Nil (the default): nobody.
    package static func send(to listener: (@Sendable (String) -> Void)?) {
        self.listener.withLock { $0 = listener }
    }

    /// Runs `body` with the chatter of this thread caught.
    static func caught<R: ~Copyable, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        // A closure, because va_list is an optional pointer on some architectures and none on others.
        let before = snd_lib_error_set_local { takeChatter($0, $1, $2, $3, $4, $5) }
        defer { _ = snd_lib_error_set_local(before) }
        return try body()
    }

    fileprivate static func tell(_ line: String) {
        if let listener = listener.withLock({ $0 }) { listener(line) }
    }
}

/// ALSA's `snd_local_error_handler_t`; nothing is kept beyond the call.
private func takeChatter(
    _ file: UnsafePointer<CChar>?, _ line: Int32, _ function: UnsafePointer<CChar>?, _ error: Int32,
    _ format: UnsafePointer<CChar>?, _ arguments: CVaListPointer?
) {
    guard let format, let arguments else { return }
    let message = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer -> String in
        guard let start = buffer.baseAddress, vsnprintf(start, buffer.count, format, arguments) >= 0 else { return "" }
        return String(cString: start)
    }
    let place = function.map { String(cString: $0) + ": " } ?? ""
    ALSAChatter.tell(place + message + (error == 0 ? "" : ": " + SystemText.message(abs(error))))
}
