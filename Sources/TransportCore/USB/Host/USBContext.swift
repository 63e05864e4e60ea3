internal import CUSB
internal import Confinement
internal import Dispatch

/// The one owner of a `libusb_context`, and the thread on which all of its callbacks run.
///
/// Unchecked: the pointer is constant, and libusb may be called from any thread (libusb's documentation,
/// "Multi-threaded applications and asynchronous I/O"); the thread frees it at its end.
final class USBContext: @unchecked Sendable {
    let pointer: OpaquePointer
    private let isStopping = Locked(false)
    private let ended = DispatchGroup()
    private let thread: DetachedThread
    /// What callbacks are given: freed when none can come any more.
    private let kept = Locked<[AnyObject & Sendable]>([])
    private let pauses = Locked<[ObjectIdentifier: @Sendable () -> Void]>([:])

    init() throws(TransportError) {
        var context: OpaquePointer?
        let result = libusb_init(&context)
        guard result == 0, let context else {
            throw TransportError(usb: result, "can't use USB")
        }
        pointer = context
        ended.enter()
        do throws(ThreadError) {
            // Holds no reference: `deinit` waits for the thread.
            let (isStopping, ended, pauses, kept) = (isStopping, ended, pauses, kept)
            nonisolated(unsafe) let pointer = context
            thread = try DetachedThread("camo-usb") {
                while !isStopping.withLock({ $0 }) {
                    libusb_handle_events_completed(pointer, nil)
                    // Under the lock: whoever wants no more of them waits, and so the last reference to a pipe, and by it
                    // to this context, is never let go of here.
                    pauses.withLock { for pause in $0.values { pause() } }
                }
                libusb_exit(pointer)
                withExtendedLifetime(kept) {}
                ended.leave()
            }
        } catch {
            ended.leave()
            libusb_exit(context)
            throw TransportError(errno: error.systemError, "can't use USB")
        }
    }

    /// Keeps something as long as there can be callbacks.
    func keep(_ object: AnyObject & Sendable) { kept.withLock { $0.append(object) } }

    /// Calls `pause` on the context's thread each time that it has told of all that has happened; nil: no more.
    ///
    /// - Parameters:
    ///   - owner: Whose it is.
    ///   - pause: Must neither block nor come back here.
    func tellPauses(_ owner: AnyObject, _ pause: (@Sendable () -> Void)?) {
        let old = pauses.withLock { pauses in
            let old = pauses[ObjectIdentifier(owner)]
            pauses[ObjectIdentifier(owner)] = pause
            return old
        }
        // Let go of outside of the lock: it may hold the last reference to the context.
        withExtendedLifetime(old) {}
    }

    deinit {
        // Under the lock: the context is there until the thread has seen it.
        isStopping.withLock { isStopping in
            isStopping = true
            libusb_interrupt_event_handler(pointer)
        }
        // A pipe that was called there while its owner let go of it may have held the last reference: then the thread
        // ends by itself.
        if !thread.isCurrent { ended.wait() }
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
