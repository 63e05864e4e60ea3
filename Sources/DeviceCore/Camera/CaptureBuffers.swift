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
        /// What the driver has written; no more than the buffer holds. Whatever lies behind is from an older picture.
        var bytes: UnsafeRawBufferPointer
        var sequence: UInt32
        var isDamaged: Bool
        /// When the driver stamps with CLOCK_MONOTONIC, its stamp in microseconds.
        var monotonicStamp: Int64?
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

    private let node: any VideoNode
    private let wake: WakeUp
    private let mappings: [UnsafeMutableRawBufferPointer]
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
    init(node: any VideoNode, wake: WakeUp) throws(DeviceError) {
        let reserve = max(2, min(16, node.leastBuffers))
        var request = v4l2_requestbuffers()
        request.count = UInt32(reserve + Self.lendable)
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        let error = node.control(shim_VIDIOC_REQBUFS, &request)
        guard error != EINVAL else {
            throw DeviceError(.unsupported, device: node.path, "it gives no buffers to map (V4L2_MEMORY_MMAP)")
        }
        guard error == 0 else { throw node.failure(error, "it gives no buffers") }
        var mappings: [UnsafeMutableRawBufferPointer] = []
        func undo() {
            for mapping in mappings { if let base = mapping.baseAddress { node.unmap(base, length: mapping.count) } }
        }
        for index in 0..<min(request.count, UInt32(Self.most)) {
            var buffer = Self.description(index: index)
            let error = node.control(shim_VIDIOC_QUERYBUF, &buffer)
            guard error == 0 else {
                undo()
                throw node.failure(error, "buffer \(index) could not be looked up")
            }
            guard buffer.length > 0, let base = node.map(length: Int(buffer.length), offset: Int(buffer.m.offset))
            else {
                undo()
                throw DeviceError(.failed, device: node.path, "buffer \(index) could not be mapped")
            }
            mappings.append(UnsafeMutableRawBufferPointer(start: base, count: Int(buffer.length)))
        }
        guard !mappings.isEmpty else {
            throw DeviceError(.failed, device: node.path, "it gives no buffers")
        }
        self.node = node
        self.wake = wake
        self.mappings = mappings
        self.reserve = reserve
    }

    deinit {
        for mapping in mappings { if let base = mapping.baseAddress { node.unmap(base, length: mapping.count) } }
    }

    /// Hands all buffers to the driver and starts it.
    func start() throws(DeviceError) {
        for index in mappings.indices {
            let error = enqueue(index)
            guard error == 0 else { throw node.failure(error, "buffer \(index) was refused") }
            state.withLock { $0.queued += 1 }
        }
        var type = Int32(bitPattern: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
        let error = node.control(shim_VIDIOC_STREAMON, &type)
        guard error == 0 else { throw node.failure(error, "it does not start; another mode may work") }
    }

    /// Takes the next filled buffer. It must go back with ``giveBack(_:)``, whatever is in it.
    func take() -> Taken {
        var buffer = Self.description(index: 0)
        let error = node.control(shim_VIDIOC_DQBUF, &buffer)
        if error == EAGAIN { return .nothingYet }
        guard error == 0 else { return .failed(error) }
        let index = Int(buffer.index)
        guard mappings.indices.contains(index) else { return .failed(EINVAL) }
        state.withLock { $0.queued -= 1 }
        let used = min(Int(buffer.bytesused), mappings[index].count)
        let isMonotonic =
            buffer.flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        return .filled(
            Filled(
                index: index, bytes: UnsafeRawBufferPointer(rebasing: mappings[index][..<used]),
                sequence: buffer.sequence, isDamaged: buffer.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0,
                monotonicStamp: isMonotonic ? Self.microseconds(buffer.timestamp) : nil))
    }

    /// Whether a buffer just taken may be lent out: the driver has enough without it.
    var canLend: Bool { state.withLock { $0.queued >= reserve } }

    /// Gives a buffer back to the driver. Any thread; does nothing once capture has ended.
    func giveBack(_ index: Int) {
        let failed = state.withLock { state in
            if state.hasEnded { return false }
            var error = enqueue(index)
            // Once more: a single refusal has been seen that a second call did not meet.
            if error != 0, error != ENODEV { error = enqueue(index) }
            if error == 0 { state.queued += 1 } else { state.failure = error }
            return error != 0
        }
        if failed { wake.signal() }
    }

    /// The errno of a buffer that could not be given back.
    var failure: Int32? { state.withLock { $0.failure } }

    /// Stops the driver, lets go of its buffers and closes the node. What frames still hold stays mapped: the driver
    /// keeps orphaned buffers until they are unmapped (V4L2_BUF_CAP_SUPPORTS_ORPHANED_BUFS).
    func end() {
        state.withLock { $0.hasEnded = true }
        var type = Int32(bitPattern: V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue)
        _ = node.control(shim_VIDIOC_STREAMOFF, &type)
        var request = v4l2_requestbuffers()
        request.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        _ = node.control(shim_VIDIOC_REQBUFS, &request)
        node.close()
    }

    private func enqueue(_ index: Int) -> Int32 {
        var buffer = Self.description(index: UInt32(clamping: index))
        return node.control(shim_VIDIOC_QBUF, &buffer)
    }

    private static func description(index: UInt32) -> v4l2_buffer {
        var buffer = v4l2_buffer()
        buffer.index = index
        buffer.type = V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue
        buffer.memory = V4L2_MEMORY_MMAP.rawValue
        return buffer
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
