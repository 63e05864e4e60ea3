internal import COpenSSLShims

/// OpenSSL's error queue belongs to the thread, which with Dispatch is anybody's: it is emptied before each call whose
/// result depends on it (SSL_get_error(3)), and emptied into a message after each failure.
enum OpenSSLErrors {
    static func clear() { ERR_clear_error() }

    /// The reasons on the queue, oldest first, and an empty queue.
    static func take() -> [(reason: Int32, text: String)] {
        var errors: [(reason: Int32, text: String)] = []
        while true {
            let error = ERR_get_error()
            guard error != 0 else { return errors }
            let text = ERR_reason_error_string(error).map { String(cString: $0) } ?? "error \(error)"
            errors.append((ERR_GET_REASON(error), text))
        }
    }

    /// A failure that no outside data causes: no memory, no random numbers, a library that lacks something.
    static func failure(_ what: String) -> TransportError {
        let reasons = take().map(\.text).joined(separator: "; ")
        return TransportError(.system, reasons.isEmpty ? what : "\(what): \(reasons)")
    }
}
