internal import CLinuxShims
import Glibc

/// The buffers of an output device, mapped into this process: taken, filled, handed to the driver, given back by it.
///
/// The one that was given back longest ago is filled next, so that readers which share the driver's memory, as those of
/// v4l2loopback do, have the longest time with each picture.
///
/// Used by one thread.
final class OutputBuffers {
    private let node: any VideoNode
    private var mappings: [(memory: UnsafeMutableRawBufferPointer, offset: UInt32)] = []
    /// By the time they were given back.
    private var free: [UInt32] = []
    /// With the driver, by the time they were handed over.
    private var queued: [UInt32] = []
    private var isClosed = false

    private static let wanted: UInt32 = 4
    /// No driver gives more; a count beyond it is a broken answer.
    private static let most: UInt32 = 32

    /// Asks for buffers, maps them and starts the device. Closes the node when that fails.
    ///
    /// - Parameter byteCount: The least that each must hold.
    /// - Throws: ``DeviceError`` `.busy`, `.disconnected`, `.unsupported` or `.failed`.
    init(node: any VideoNode, byteCount: Int) throws(DeviceError) {
        self.node = node
        do throws(DeviceError) {
            try map(byteCount)
            // Before the first buffer is handed over: v4l2loopback knows its writer by this call.
            var type = Int32(bitPattern: V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue)
            let error = node.control(shim_VIDIOC_STREAMON, &type)
            guard error == 0 else { throw node.outputFailure(error, "it does not start") }
        } catch {
            close()
            throw error
        }
    }

    deinit { close() }

    private func map(_ byteCount: Int) throws(DeviceError) {
        var request = v4l2_requestbuffers()
        request.count = Self.wanted
        request.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
        request.memory = V4L2_MEMORY_MMAP.rawValue
        let error = node.control(shim_VIDIOC_REQBUFS, &request)
        guard error != EINVAL, error != 0 || request.count > 0 else {
            throw DeviceError(.unsupported, device: node.path, "it gives no buffers to map (V4L2_MEMORY_MMAP)")
        }
        guard error == 0 else { throw node.outputFailure(error, "it gives no buffers") }
        for index in 0..<min(request.count, Self.most) {
            var buffer = Self.description(index: index)
            let error = node.control(shim_VIDIOC_QUERYBUF, &buffer)
            guard error == 0 else { throw node.outputFailure(error, "buffer \(index) could not be looked up") }
            guard Int(buffer.length) >= byteCount,
                let base = node.map(length: Int(buffer.length), offset: Int(buffer.m.offset))
            else {
                throw DeviceError(
                    .failed, device: node.path,
                    "buffer \(index) of \(buffer.length) bytes could not be mapped for \(byteCount)")
            }
            let memory = UnsafeMutableRawBufferPointer(start: base, count: Int(buffer.length))
            mappings.append((memory, buffer.m.offset))
            free.append(index)
        }
    }

    /// Lends the memory of the next buffer and hands it to the driver; never waits.
    ///
    /// - Returns: False when the driver holds all buffers.
    /// - Throws: ``DeviceError`` when the device has gone; what `fill` throws, and then nothing is handed over.
    func send(byteCount: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws -> Bool {
        try collect()
        guard let index = free.first, let memory = memory(of: index), memory.count >= byteCount else { return false }
        try fill(UnsafeMutableRawBufferPointer(rebasing: memory[..<byteCount]))
        var buffer = Self.description(index: index)
        buffer.bytesused = UInt32(clamping: byteCount)
        buffer.field = V4L2_FIELD_NONE.rawValue
        let error = node.control(shim_VIDIOC_QBUF, &buffer)
        guard error == 0 else { throw node.outputFailure(error, "it takes no more pictures") }
        free.removeFirst()
        queued.append(index)
        return true
    }

    /// Takes back what the driver has done with.
    private func collect() throws(DeviceError) {
        // As often as there are buffers out, not until it says no: v4l2loopback 0.12 never does.
        for _ in 0..<queued.count {
            var buffer = Self.description(index: 0)
            let error = node.control(shim_VIDIOC_DQBUF, &buffer)
            if error == EAGAIN { return }
            guard error == 0 else { throw node.outputFailure(error, "it gives no buffer back") }
            let index = buffer.index
            let place = queued.firstIndex(of: index) ?? queued.startIndex
            free.append(queued.remove(at: place))
        }
    }

    /// Where the driver will look for this buffer. Asked anew each time: when a reader of v4l2loopback asks for fewer
    /// buffers, those of higher numbers become other names for the ones that are left.
    private func memory(of index: UInt32) -> UnsafeMutableRawBufferPointer? {
        var buffer = Self.description(index: index)
        if node.control(shim_VIDIOC_QUERYBUF, &buffer) == 0 {
            let offset = buffer.m.offset
            if let mapping = mappings.first(where: { $0.offset == offset }) { return mapping.memory }
        }
        return mappings.indices.contains(Int(index)) ? mappings[Int(index)].memory : nil
    }

    /// Stops the device and closes the node. A mapping keeps the file open, and a loopback device its format (mmap(2)):
    /// all of them go first.
    func close() {
        guard !isClosed else { return }
        isClosed = true
        var type = Int32(bitPattern: V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue)
        _ = node.control(shim_VIDIOC_STREAMOFF, &type)
        for (memory, _) in mappings { if let base = memory.baseAddress { node.unmap(base, length: memory.count) } }
        mappings = []
        node.close()
    }

    private static func description(index: UInt32) -> v4l2_buffer {
        var buffer = v4l2_buffer()
        buffer.index = index
        buffer.type = V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
        buffer.memory = V4L2_MEMORY_MMAP.rawValue
        return buffer
    }
}
