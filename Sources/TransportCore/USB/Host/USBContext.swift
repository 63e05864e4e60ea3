internal import CUSB
internal import Confinement
internal import Dispatch

/// The one owner of a `libusb_context`, and the thread on which all of its callbacks run.
///
/// Unchecked: the pointer is constant, and libusb may be called from any thread (libusb's documentation,
/// "Multi-threaded applications and asynchronous I/O"); it is freed after the thread has ended.
final class USBContext: @unchecked Sendable {
    let pointer: OpaquePointer
    private let isStopping = Locked(false)
    private let ended = DispatchGroup()
    /// What callbacks are given: freed when none can come any more.
    private let kept = Locked<[AnyObject & Sendable]>([])

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
            let (isStopping, ended) = (isStopping, ended)
            nonisolated(unsafe) let pointer = context
            try DetachedThread("camo-usb") {
                while !isStopping.withLock({ $0 }) { libusb_handle_events_completed(pointer, nil) }
                ended.leave()
            }
        } catch {
            ended.leave()
            throw TransportError(errno: error.systemError, "can't use USB")
        }
    }

    /// Keeps something as long as there can be callbacks.
    func keep(_ object: AnyObject & Sendable) { kept.withLock { $0.append(object) } }

    /// Not on the context's own thread: whoever is called there keeps the context.
    deinit {
        isStopping.withLock { $0 = true }
        libusb_interrupt_event_handler(pointer)
        ended.wait()
        libusb_exit(pointer)
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
