internal import CLinuxShims
import Glibc

/// The buffer calls of V4L2, VIDIOC_REQBUFS to VIDIOC_STREAMOFF, the same for both APIs: a buffer has one memory, or
/// one for each plane that is split off.
struct BufferQueue: Sendable {
    /// Pictures come out of a device, or go into it; an encoder has both.
    enum Direction: Sendable { case capture, output }

    let node: any VideoNode
    let api: CaptureAPI
    var direction = Direction.capture

    /// `enum v4l2_buf_type`.
    var bufferType: UInt32 {
        switch (direction, api) {
        case (.capture, _): api.bufferType
        case (.output, .singlePlanar): V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue
        case (.output, .multiPlanar): V4L2_BUF_TYPE_VIDEO_OUTPUT_MPLANE.rawValue
        }
    }

    /// A filled buffer as the driver describes it.
    struct Filled {
        var index: Int
        /// What was written of each memory.
        var used: [Range<Int>]
        var sequence: UInt32
        /// `V4L2_BUF_FLAG_…`
        var flags: UInt32
        /// `enum v4l2_field`.
        var field: UInt32
        var stamp: timeval
    }

    /// VIDIOC_ENUM_FMT.
    func formats() -> [UInt32] {
        // A driver that never says EINVAL must not hold us: no device has a thousand entries.
        (0..<UInt32(1000)).lazy.map { index -> UInt32? in
            var entry = v4l2_fmtdesc()
            (entry.index, entry.type) = (index, bufferType)
            return node.control(shim_VIDIOC_ENUM_FMT, &entry) == 0 ? entry.pixelformat : nil
        }.prefix { $0 != nil }.compactMap { $0 }
    }

    /// VIDIOC_REQBUFS for buffers to map; 0 gives all back. The driver may grant more or fewer than `count`.
    func request(_ count: Int) -> (error: Int32, granted: Int) {
        var request = v4l2_requestbuffers()
        request.count = UInt32(clamping: count)
        request.type = bufferType
        request.memory = V4L2_MEMORY_MMAP.rawValue
        let error = node.control(shim_VIDIOC_REQBUFS, &request)
        return (error, Int(request.count))
    }

    /// VIDIOC_QUERYBUF: how long each memory of a buffer is, and the offset to map it by.
    func memories(of index: Int) -> (error: Int32, memories: [(length: Int, offset: Int)]) {
        call(shim_VIDIOC_QUERYBUF, index) { buffer, planes in
            switch api {
            case .singlePlanar: [(Int(buffer.length), Int(buffer.m.offset))]
            case .multiPlanar: planes.map { (Int($0.length), Int($0.m.mem_offset)) }
            }
        }
    }

    /// Maps all memories of a buffer, or none of them.
    func map(_ index: Int) throws(DeviceError) -> [UnsafeMutableRawBufferPointer] {
        let (error, memories) = memories(of: index)
        guard error == 0 else { throw node.failure(error, "buffer \(index) could not be looked up") }
        var mapping: [UnsafeMutableRawBufferPointer] = []
        for memory in memories {
            guard memory.length > 0, let base = node.map(length: memory.length, offset: memory.offset) else {
                unmap(mapping)
                throw DeviceError(.failed, device: node.path, "buffer \(index) could not be mapped")
            }
            mapping.append(UnsafeMutableRawBufferPointer(start: base, count: memory.length))
        }
        return mapping
    }

    func unmap(_ mapping: [UnsafeMutableRawBufferPointer]) {
        for memory in mapping { if let base = memory.baseAddress { node.unmap(base, length: memory.count) } }
    }

    /// VIDIOC_QBUF: to be filled.
    func enqueue(_ index: Int) -> Int32 { call(shim_VIDIOC_QBUF, index) { _, _ in }.error }

    /// VIDIOC_QBUF: filled, with so many bytes in each memory.
    func enqueue(_ index: Int, used: [Int], stamp: timeval) -> Int32 {
        let prepare = { (buffer: inout v4l2_buffer, planes: UnsafeMutableBufferPointer<v4l2_plane>) in
            buffer.timestamp = stamp
            buffer.field = V4L2_FIELD_NONE.rawValue
            buffer.bytesused = UInt32(clamping: used.first ?? 0)
            for (plane, count) in zip(planes.indices, used) { planes[plane].bytesused = UInt32(clamping: count) }
            if api == .multiPlanar { buffer.length = UInt32(clamping: used.count) }
        }
        return call(shim_VIDIOC_QBUF, index, prepare: prepare) { _, _ in }.error
    }

    /// VIDIOC_DQBUF.
    func dequeue() -> (error: Int32, filled: Filled) {
        call(shim_VIDIOC_DQBUF, 0) { buffer, planes in
            let used =
                switch api {
                case .singlePlanar: [0..<Int(buffer.bytesused)]
                // `bytesused` counts the header that `data_offset` skips.
                case .multiPlanar:
                    planes.map { Int(min($0.data_offset, $0.bytesused))..<Int($0.bytesused) }
                }
            return Filled(
                index: Int(buffer.index), used: used, sequence: buffer.sequence, flags: buffer.flags,
                field: buffer.field, stamp: buffer.timestamp)
        }
    }

    /// VIDIOC_STREAMON or VIDIOC_STREAMOFF.
    func setStreaming(_ isOn: Bool) -> Int32 {
        var type = Int32(bitPattern: bufferType)
        return node.control(isOn ? shim_VIDIOC_STREAMON : shim_VIDIOC_STREAMOFF, &type)
    }

    /// Calls with a buffer's description; `read` sees what the driver has written there.
    private func call<Answer>(
        _ request: UInt, _ index: Int,
        prepare: (inout v4l2_buffer, UnsafeMutableBufferPointer<v4l2_plane>) -> Void = { _, _ in },
        _ read: (v4l2_buffer, UnsafeMutableBufferPointer<v4l2_plane>.SubSequence) -> Answer
    ) -> (error: Int32, Answer) {
        withUnsafeTemporaryAllocation(of: v4l2_plane.self, capacity: Int(VIDEO_MAX_PLANES)) { planes in
            planes.initialize(repeating: v4l2_plane())
            var buffer = v4l2_buffer()
            buffer.index = UInt32(clamping: index)
            buffer.type = bufferType
            buffer.memory = V4L2_MEMORY_MMAP.rawValue
            if api == .multiPlanar {
                buffer.m.planes = planes.baseAddress
                buffer.length = UInt32(planes.count)
            }
            prepare(&buffer, planes)
            let error = node.control(request, &buffer)
            return (error, read(buffer, planes.prefix(Int(buffer.length))))
        }
    }
}
