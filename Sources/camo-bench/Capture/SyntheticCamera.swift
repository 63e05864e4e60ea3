internal import CLinuxShims
import CamoTypes
import Confinement
import DeviceCore
import Glibc

/// A camera without a kernel: what a driver answers and delivers, at an even pace. It captures through the same code as
/// any other (``VideoCaptureDevice``), but for the system calls themselves.
final class SyntheticCamera: VideoNode {
    struct Mode: Sendable {
        /// `yuyv` or `nv12`.
        var format: PixelFormat
        var size: PixelSize
        var framesPerSecond: Int
    }

    let path: String
    let mode: Mode
    /// Shown over and over, in ``mode``'s layout, rows without padding.
    private let pictures: [[UInt8]]
    /// From STREAMON to its first picture: cameras need up to two seconds.
    private let startTime: Microseconds
    /// Told what a picture is stamped with and when VIDIOC_DQBUF has handed it over. On the capture's thread.
    private let onDequeue: @Sendable (_ stamp: MonotonicTime, _ now: MonotonicTime) -> Void
    private let state = Locked(State())
    private let clock = SystemClock()

    private struct State {
        /// Addresses of the buffers.
        var memory: [UInt] = []
        var queue: [Int] = []
        var filled: (index: Int, number: Int64, stamp: MonotonicTime)?
        var start: MonotonicTime?
        var number: Int64 = 0
    }

    init(
        _ path: String, _ mode: Mode, pictures: [[UInt8]], startTime: Microseconds = .zero,
        onDequeue: @escaping @Sendable (_ stamp: MonotonicTime, _ now: MonotonicTime) -> Void = { _, _ in }
    ) {
        (self.path, self.mode, self.pictures, self.startTime) = (path, mode, pictures, startTime)
        self.onDequeue = onDequeue
    }

    private var byteCount: Int { mode.format.byteCount(mode.size) }

    // MARK: Memory and time

    func map(length: Int, offset: Int) -> UnsafeMutableRawPointer? {
        let address = mmap(nil, length, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)
        guard let address, address != MAP_FAILED else { return nil }
        let number = UInt(bitPattern: address)
        state.withLock { $0.memory.append(number) }
        return address
    }

    func unmap(_ address: UnsafeMutableRawPointer, length: Int) { munmap(address, length) }
    func close() {}
    func waitForEvent(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness {
        wake.wait(atMost: limit) ? .woken : .timedOut
    }

    /// The time at which the next picture is there; nil while none is on its way.
    private var due: MonotonicTime? {
        state.withLock { state in
            state.start.map { start in
                start + Microseconds((state.number + 1) * 1_000_000 / Int64(mode.framesPerSecond))
            }
        }
    }

    func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness {
        guard let due else { return wake.wait(atMost: limit) ? .woken : .timedOut }
        let left = due - clock.now
        if wake.wait(atMost: max(.zero, min(limit, left))) { return .woken }
        guard clock.now >= due else { return .timedOut }
        expose(at: due)
        return state.withLock { $0.filled == nil } ? .timedOut : .ready
    }

    /// What a camera's own hardware does: a picture comes to lie in the buffer that was queued first. Without a buffer
    /// it is lost.
    private func expose(at time: MonotonicTime) {
        state.withLock { state in
            defer { state.number += 1 }
            guard let index = state.queue.first, let base = UnsafeMutableRawPointer(bitPattern: state.memory[index])
            else { return }
            state.queue.removeFirst()
            let picture = pictures[Int(state.number) % pictures.count]
            picture.withUnsafeBytes { bytes in
                if let source = bytes.baseAddress { base.copyMemory(from: source, byteCount: bytes.count) }
            }
            state.filled = (index, state.number, time)
        }
    }

    // MARK: The driver's answers

    func control(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        switch request {
        case shim_VIDIOC_QUERYCAP:
            let capability = argument.assumingMemoryBound(to: v4l2_capability.self)
            let abilities = UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_STREAMING)
            capability.pointee.capabilities = abilities | UInt32(V4L2_CAP_DEVICE_CAPS)
            capability.pointee.device_caps = abilities
            withUnsafeMutableBytes(of: &capability.pointee.card) { $0.copyBytes(from: path.utf8.prefix(31)) }
            withUnsafeMutableBytes(of: &capability.pointee.bus_info) { $0.copyBytes(from: path.utf8.prefix(31)) }
        case shim_VIDIOC_ENUM_FMT:
            let entry = argument.assumingMemoryBound(to: v4l2_fmtdesc.self)
            guard entry.pointee.index == 0 else { return EINVAL }
            entry.pointee.pixelformat = code
        case shim_VIDIOC_ENUM_FRAMESIZES:
            let entry = argument.assumingMemoryBound(to: v4l2_frmsizeenum.self)
            guard entry.pointee.index == 0 else { return EINVAL }
            entry.pointee.type = V4L2_FRMSIZE_TYPE_DISCRETE.rawValue
            entry.pointee.discrete.width = UInt32(mode.size.width)
            entry.pointee.discrete.height = UInt32(mode.size.height)
        case shim_VIDIOC_ENUM_FRAMEINTERVALS:
            let entry = argument.assumingMemoryBound(to: v4l2_frmivalenum.self)
            guard entry.pointee.index == 0 else { return EINVAL }
            entry.pointee.type = V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
            entry.pointee.discrete = interval
        case shim_VIDIOC_G_FMT, shim_VIDIOC_S_FMT:
            describe(&argument.assumingMemoryBound(to: v4l2_format.self).pointee.fmt.pix)
        case shim_VIDIOC_G_PARM, shim_VIDIOC_S_PARM:
            let parameters = argument.assumingMemoryBound(to: v4l2_streamparm.self)
            parameters.pointee.parm.capture.capability = UInt32(V4L2_CAP_TIMEPERFRAME)
            parameters.pointee.parm.capture.timeperframe = interval
        default: return stream(request, argument)
        }
        return 0
    }

    private var code: UInt32 { mode.format == .nv12 ? shim_V4L2_PIX_FMT_NV12 : shim_V4L2_PIX_FMT_YUYV }
    private var interval: v4l2_fract { v4l2_fract(numerator: 1, denominator: UInt32(mode.framesPerSecond)) }

    private func describe(_ pix: inout v4l2_pix_format) {
        (pix.width, pix.height, pix.pixelformat) = (UInt32(mode.size.width), UInt32(mode.size.height), code)
        pix.bytesperline = UInt32(mode.format.rowBytes(plane: 0, width: mode.size.width))
        pix.sizeimage = UInt32(byteCount)
        pix.field = V4L2_FIELD_NONE.rawValue
        pix.colorspace = V4L2_COLORSPACE_SMPTE170M.rawValue
    }

    private func stream(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        switch request {
        case shim_VIDIOC_REQBUFS:
            state.withLock { state in (state.memory, state.queue, state.filled) = ([], [], nil) }
        case shim_VIDIOC_QUERYBUF:
            argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.length = UInt32(byteCount)
        case shim_VIDIOC_QBUF:
            let index = Int(argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.index)
            state.withLock { $0.queue.append(index) }
        case shim_VIDIOC_DQBUF: return dequeue(&argument.assumingMemoryBound(to: v4l2_buffer.self).pointee)
        case shim_VIDIOC_STREAMON:
            let start = clock.now + startTime
            state.withLock { ($0.start, $0.number) = (start, 0) }
        case shim_VIDIOC_STREAMOFF: state.withLock { ($0.start, $0.queue, $0.filled) = (nil, [], nil) }
        default: return ENOTTY
        }
        return 0
    }

    private func dequeue(_ buffer: inout v4l2_buffer) -> Int32 {
        let filled = state.withLock { state in
            defer { state.filled = nil }
            return state.filled
        }
        guard let filled else { return EAGAIN }
        buffer.index = UInt32(filled.index)
        buffer.bytesused = UInt32(byteCount)
        buffer.flags = UInt32(V4L2_BUF_FLAG_TIMESTAMP_MONOTONIC)
        buffer.sequence = UInt32(truncatingIfNeeded: filled.number)
        buffer.timestamp = timeval(
            tv_sec: Int(filled.stamp.microseconds / 1_000_000), tv_usec: Int(filled.stamp.microseconds % 1_000_000))
        onDequeue(filled.stamp, clock.now)
        return 0
    }
}

/// A machine with such cameras.
struct SyntheticCameras: VideoNodes {
    let cameras: [SyntheticCamera]

    func paths() -> [String] { cameras.map(\.path) }

    func open(_ path: String) throws(DeviceError) -> any VideoNode {
        guard let camera = cameras.first(where: { $0.path == path }) else {
            throw DeviceError(.notFound, device: path, "there is no such camera")
        }
        return camera
    }

    func attribute(_ name: String, of path: String) -> String? { nil }
}
