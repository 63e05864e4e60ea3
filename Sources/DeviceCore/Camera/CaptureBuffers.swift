internal import CLinuxShims
import Confinement
import Glibc

/// The driver's buffers, mapped into this process: filled by the driver, taken, lent to frames, given back.
///
/// A frame borrows a buffer and gives it back when it is released, on any thread. So this object lives until the last
/// frame has gone, and only then are the mappings taken away, long after capture may have ended.
///
/// Unchecked: `mappings` never changes; what the driver holds is counted under a lock; all calls but `giveBack` are
/// made by the one thread that captures.
final class CaptureBuffers: @unchecked Sendable {
    /// One buffer as the driver handed it over.
    struct Filled {
        var index: Int
        /// What the driver has written to each memory; no more than it holds. Whatever lies behind is from an older
        /// picture.
        var memories: [UnsafeRawBufferPointer]
        var sequence: UInt32
        var isDamaged: Bool
        /// `enum v4l2_field`.
        var field: UInt32
        /// When the driver stamps with CLOCK_MONOTONIC, its stamp in microseconds.
        var monotonicStamp: Int64?

        /// There is nothing in it.
        var isEmpty: Bool { memories.allSatisfy(\.isEmpty) }
    }

    enum Taken {
        case filled(Filled)
        case nothingYet
        case failed(Int32)
    }

    private struct State {
        var queued = 0
        var hasEnded = false
        var failure: Int32?
    }

    private let queue: BufferQueue
    private let wake: WakeUp
    /// Of each buffer, the memories that it has.
    private let mappings: [[UnsafeMutableRawBufferPointer]]
    private let state = Locked(State())
    /// What the driver must never have less of, or it has nowhere to put the next picture.
    private let reserve: Int

    /// Frames that consumers may hold at once before pictures are copied: one waiting, one at work, one in between.
    private static let lendable = 3
    /// No driver asks for more; a count beyond it is a broken answer.
    private static let most = 32

    /// Asks the driver for buffers and maps them.
    ///
    /// - Throws: ``DeviceError`` `.busy`, `.disconnected`, `.unsupported` or `.failed`.
    init(_ queue: BufferQueue, wake: WakeUp) throws(DeviceError) {
        let node = queue.node
        let reserve = max(2, min(16, node.leastBuffers))
        let (error, granted) = queue.request(reserve + Self.lendable)
        guard error != EINVAL else {
            throw DeviceError(.unsupported, device: node.path, "it gives no buffers to map (V4L2_MEMORY_MMAP)")
        }
        guard error == 0 else { throw node.failure(error, "it gives no buffers") }
        var mappings: [[UnsafeMutableRawBufferPointer]] = []
        do throws(DeviceError) {
            for index in 0..<min(granted, Self.most) { try mappings.append(queue.map(index)) }
        } catch {
            for mapping in mappings { queue.unmap(mapping) }
            throw error
        }
        guard !mappings.isEmpty else {
            throw DeviceError(.failed, device: node.path, "it gives no buffers")
        }
        self.queue = queue
        self.wake = wake
        self.mappings = mappings
        self.reserve = reserve
    }

    deinit { for mapping in mappings { queue.unmap(mapping) } }

    /// Hands all buffers to the driver and starts it.
    func start() throws(DeviceError) {
        for index in mappings.indices {
            let error = queue.enqueue(index)
            guard error == 0 else { throw queue.node.failure(error, "buffer \(index) was refused") }
            state.withLock { $0.queued += 1 }
        }
        let error = queue.setStreaming(true)
        guard error == 0 else { throw queue.node.failure(error, "it does not start; another mode may work") }
    }

    /// Takes the next filled buffer. It must go back with ``giveBack(_:)``, whatever is in it.
    func take() -> Taken {
        let (error, filled) = queue.dequeue()
        if error == EAGAIN { return .nothingYet }
        guard error == 0 else { return .failed(error) }
        guard mappings.indices.contains(filled.index) else { return .failed(EINVAL) }
        state.withLock { $0.queued -= 1 }
        let memories = zip(mappings[filled.index], filled.used).map { memory, used in
            UnsafeRawBufferPointer(rebasing: memory[used.clamped(to: 0..<memory.count)])
        }
        let isMonotonic =
            filled.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        return .filled(
            Filled(
                index: filled.index, memories: memories, sequence: filled.sequence,
                isDamaged: filled.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0, field: filled.field,
                monotonicStamp: isMonotonic ? Self.microseconds(filled.stamp) : nil))
    }

    /// Whether a buffer just taken may be lent out: the driver has enough without it.
    var canLend: Bool { state.withLock { $0.queued >= reserve } }

    /// Gives a buffer back to the driver. Any thread; does nothing once capture has ended.
    func giveBack(_ index: Int) {
        let failed = state.withLock { state in
            if state.hasEnded { return false }
            var error = queue.enqueue(index)
            // Once more: a single refusal has been seen that a second call did not meet.
            if error != 0, error != ENODEV { error = queue.enqueue(index) }
            if error == 0 { state.queued += 1 } else { state.failure = error }
            return error != 0
        }
        if failed { wake.signal() }
    }

    /// The errno of a buffer that could not be given back.
    var failure: Int32? { state.withLock { $0.failure } }

    /// Stops the driver and lets go of its buffers; the node stays open. What frames still hold stays mapped: the
    /// driver keeps orphaned buffers until they are unmapped (V4L2_BUF_CAP_SUPPORTS_ORPHANED_BUFS).
    func end() {
        state.withLock { $0.hasEnded = true }
        _ = queue.setStreaming(false)
        _ = queue.request(0)
    }

    private static func microseconds(_ time: timeval) -> Int64? {
        let (seconds, tooLarge) = Int64(time.tv_sec).multipliedReportingOverflow(by: 1_000_000)
        let (sum, overflow) = seconds.addingReportingOverflow(Int64(time.tv_usec))
        return tooLarge || overflow ? nil : sum
    }
}

extension VideoNode {
    /// The buffers that the driver cannot do without (V4L2_CID_MIN_BUFFERS_FOR_CAPTURE); 0 where it does not say.
    fileprivate var leastBuffers: Int {
        var value = v4l2_control()
        value.id = shim_V4L2_CID_MIN_BUFFERS_FOR_CAPTURE
        return control(shim_VIDIOC_G_CTRL, &value) == 0 ? Int(value.value) : 0
    }
}
