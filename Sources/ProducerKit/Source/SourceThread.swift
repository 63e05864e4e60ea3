internal import Confinement
internal import DeviceCore
internal import Dispatch

/// The one thread of a source, between `start` and `stop`.
final class SourceThread: Sendable {
    /// How long its end is waited for: a little less than the second that a producer has for all of it.
    static let patience = DispatchTimeInterval.milliseconds(900)

    private let running = Locked<(thread: CaptureThread, end: @Sendable () -> Void)?>(nil)

    /// - Parameters:
    ///   - label: What the thread is called.
    ///   - source: What the source is called, for the message when there is no thread to be had.
    ///   - end: Makes `body` return soon, whatever it waits for. Any thread.
    func start(
        _ label: String, for source: String, end: @escaping @Sendable () -> Void,
        _ body: @escaping @Sendable () -> Void
    ) throws(ProducerError) {
        do throws(DeviceError) {
            let thread = try CaptureThread(label, for: source, body)
            running.withLock { $0 = (thread, end) }
        } catch {
            throw ProducerError(error)
        }
    }

    /// Returns when the thread has ended, or after ``patience``: false then.
    func stop() -> Bool {
        guard let running = running.take() else { return true }
        running.end()
        return running.thread.wait(atMost: Self.patience)
    }
}

extension ProducerError {
    /// What a source says that cannot wait for anything.
    static func noDescriptors(for source: String) -> ProducerError {
        ProducerError(.unavailable, "\(source): this process has no file descriptors left")
    }
}
