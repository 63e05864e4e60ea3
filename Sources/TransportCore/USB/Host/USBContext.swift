internal import CUSB
internal import Confinement

/// The one owner of a `libusb_context`, and the thread on which all of its callbacks run.
///
/// Unchecked: the pointer is constant, and libusb may be called from any thread (libusb's documentation,
/// "Multi-threaded applications and asynchronous I/O"); the thread frees it at its end.
final class USBContext: @unchecked Sendable {
    let pointer: OpaquePointer
    private let isStopping = Locked(false)
    /// What callbacks are given: freed when none can come any more.
    private let kept = Locked<[AnyObject & Sendable]>([])
    private let pauses = Locked<[Pause]>([])

    private struct Pause: Sendable {
        let owner: ObjectIdentifier
        let tell: @Sendable () -> Void
    }

    init() throws(TransportError) {
        var context: OpaquePointer?
        let result = libusb_init(&context)
        guard result == 0, let context else {
            throw TransportError(usb: result, "can't use USB")
        }
        pointer = context
        do throws(ThreadError) {
            // Holds no reference: it ends by `deinit`.
            let (isStopping, pauses, kept) = (isStopping, pauses, kept)
            nonisolated(unsafe) let pointer = context
            _ = try DetachedThread("camo-usb") {
                while !isStopping.withLock({ $0 }) {
                    libusb_handle_events_completed(pointer, nil)
                    for pause in pauses.withLock({ $0 }) { pause.tell() }
                }
                libusb_exit(pointer)
                withExtendedLifetime(kept) {}
            }
        } catch {
            libusb_exit(context)
            throw TransportError(errno: error.systemError, "can't use USB")
        }
    }

    /// Keeps something as long as there can be callbacks.
    func keep(_ object: AnyObject & Sendable) { kept.withLock { $0.append(object) } }

    /// Calls `pause` on the context's thread each time that it has told of all that has happened. libusb isn't at work
    /// then: it may block for a while. One more call may come after the end.
    ///
    /// - Parameters:
    ///   - owner: Whose it is.
    ///   - pause: Nil: no more.
    func tellPauses(_ owner: AnyObject, _ pause: (@Sendable () -> Void)?) {
        let owner = ObjectIdentifier(owner)
        let old = pauses.withLock { pauses in
            let old = pauses
            pauses.removeAll { $0.owner == owner }
            if let pause { pauses.append(Pause(owner: owner, tell: pause)) }
            return old
        }
        // Let go of outside of the lock: it may hold the last reference to the context.
        withExtendedLifetime(old) {}
    }

    deinit {
        // Not waited for: the thread may be the one that lets go of this, or wait for a queue that does. Under the lock:
        // the context is there until the thread has seen it.
        isStopping.withLock { isStopping in
            isStopping = true
            libusb_interrupt_event_handler(pointer)
        }
    }
}

extension TransportError {
    /// - Parameters:
    ///   - result: A `libusb_error`.
    ///   - message: What could not be done.
    ///   - advice: What to do about it: a sentence.
    init(usb result: Int32, _ message: String, advice: String? = nil) {
        let reason = String(cString: libusb_strerror(result))
        self.init(Code(usb: result), "\(message): \(reason)" + (advice.map { ". \($0)" } ?? ""))
    }
}

extension TransportError.Code {
    fileprivate init(usb result: Int32) {
        switch libusb_error(result) {
        case LIBUSB_ERROR_ACCESS: self = .noPermission
        case LIBUSB_ERROR_BUSY: self = .busy
        case LIBUSB_ERROR_NO_DEVICE, LIBUSB_ERROR_NOT_FOUND: self = .connectionLost
        default: self = .system
        }
    }
}
