internal import CLinuxShims
import Glibc

/// One queue of an encoder with its buffers mapped into this process: what is free, what the driver has.
///
/// Used by one thread.
final class MappedQueue {
    private let queue: BufferQueue
    private var mappings: [[UnsafeMutableRawBufferPointer]] = []
    private var free: [Int] = []
    private var hasEnded = false

    /// No driver gives more; a count beyond it is a broken answer.
    private static let most = 32

    /// Asks the driver for buffers and maps them.
    ///
    /// - Throws: ``DeviceError`` `.busy`, `.disconnected`, `.unsupported` or `.failed`.
    init(_ queue: BufferQueue, count: Int) throws(DeviceError) {
        self.queue = queue
        let (error, granted) = queue.request(count)
        guard error == 0, granted > 0 else { throw queue.node.failure(error, "the encoder gives no buffers") }
        do throws(DeviceError) {
            for index in 0..<min(granted, Self.most) {
                mappings.append(try queue.map(index))
                free.append(index)
            }
        } catch {
            end()
            throw error
        }
    }

    deinit { end() }

    func start() throws(DeviceError) {
        let error = queue.setStreaming(true)
        guard error == 0 else { throw queue.node.failure(error, "the encoder does not start") }
    }

    /// Stops and starts a queue whose buffers are all to be filled.
    func restart() throws(DeviceError) {
        let error = queue.setStreaming(false)
        guard error == 0 else { throw queue.node.failure(error, "the encoder does not stop") }
        // Stopped, a queue has none of them (VIDIOC_STREAMOFF(2)).
        free = Array(mappings.indices)
        try enqueueAll()
        try start()
    }

    func memories(of index: Int) -> [UnsafeMutableRawBufferPointer] { mappings[index] }

    /// A buffer that the driver doesn't have; nil where it has them all.
    func freeBuffer() throws(DeviceError) -> Int? {
        while let taken = try dequeue() { free.append(taken.index) }
        return free.first
    }

    /// Hands a free buffer over.
    ///
    /// - Parameter used: Bytes of each memory that hold something.
    func enqueue(_ index: Int, used: [Int], stamp: timeval) throws(DeviceError) {
        let error = queue.enqueue(index, used: used, stamp: stamp)
        guard error == 0 else { throw queue.node.failure(error, "the encoder takes no picture") }
        free.removeAll { $0 == index }
    }

    /// Hands all free buffers over, to be filled.
    func enqueueAll() throws(DeviceError) {
        for index in free {
            let error = queue.enqueue(index)
            guard error == 0 else { throw queue.node.failure(error, "buffer \(index) was refused") }
        }
        free = []
    }

    /// What the driver has filled, copied out of a buffer that it gets back at once; nil where there is nothing yet.
    func take() throws(DeviceError) -> (bytes: [UInt8], flags: UInt32, stamp: timeval)? {
        guard let filled = try dequeue() else { return nil }
        let bytes = zip(mappings[filled.index], filled.used).flatMap { memory, used in
            Array(memory[used.clamped(to: 0..<memory.count)])
        }
        let isDamaged = filled.flags & UInt32(V4L2_BUF_FLAG_ERROR) != 0
        let error = queue.enqueue(filled.index)
        guard error == 0 else { throw queue.node.failure(error, "buffer \(filled.index) was refused") }
        guard !isDamaged else {
            throw DeviceError(.failed, device: queue.node.path, "the encoder says that what it made is damaged")
        }
        return (bytes, filled.flags, filled.stamp)
    }

    private func dequeue() throws(DeviceError) -> BufferQueue.Filled? {
        let (error, filled) = queue.dequeue()
        if error == EAGAIN { return nil }
        guard error == 0 else { throw queue.node.failure(error, "the encoder gives no buffer back") }
        guard mappings.indices.contains(filled.index) else {
            throw DeviceError(.failed, device: queue.node.path, "the encoder gave a buffer that it does not have")
        }
        return filled
    }

    /// Stops the queue and lets go of its buffers.
    func end() {
        guard !hasEnded else { return }
        hasEnded = true
        _ = queue.setStreaming(false)
        for mapping in mappings { queue.unmap(mapping) }
        mappings = []
        _ = queue.request(0)
    }
}
