import CLinuxShims
import CamoTypes
import Confinement
import DeviceCore
import Glibc
import MediaCore

/// A hardware encoder behind the system calls: answers the ioctls as the kernel's stateful encoder interface says, and
/// makes H.264 with libx264 of what it finds in its buffers.
///
/// Unchecked: everything lies in a lock.
final class FakeEncoderNode: VideoNode, @unchecked Sendable {
    /// What drivers do differently.
    struct Manners: Sendable {
        var isMultiPlanar = true
        var rawFormats = [shim_V4L2_PIX_FMT_YUV420]
        var codedFormats = [EncoderNode.h264]
        /// Widths and heights are rounded up to this.
        var alignment = 1
        /// Parameter sets come once, by themselves, before the first picture.
        var sendsHeadersApart = false
        /// Takes pictures and gives nothing.
        var isDead = false
    }

    /// What was asked of it, over all openings.
    struct Log: Sendable {
        var forcedKeyframes = 0
        var bitRates: [Int32] = []
        var unmapped = 0
        var mapped = 0
        var openNodes = 0
    }

    let path: String
    private let manners: Manners
    private let log: Locked<Log>
    private let state = Locked(State())

    private struct State {
        var raw = Format()
        var coded = Format()
        var memories: [Int: UnsafeMutableRawPointer] = [:]
        var lengths: [Int: Int] = [:]
        var waiting: [Int] = []
        var done: [(buffer: Int, count: Int, isKeyframe: Bool)] = []
        var spent: [Int] = []
        var isKeyframeForced = false
        var encoder: X264Encoder?
        var sets: [UInt8] = []
        var isOpen = true
    }

    private struct Format {
        var code: UInt32 = 0
        var width = 0
        var height = 0
    }

    init(_ path: String, _ manners: Manners, _ log: Locked<Log>) {
        (self.path, self.manners, self.log) = (path, manners, log)
        log.withLock { $0.openNodes += 1 }
    }

    deinit { state.withLock { state in for memory in state.memories.values { memory.deallocate() } } }

    func close() {
        let wasOpen = state.withLock { state in
            defer { state.isOpen = false }
            return state.isOpen
        }
        if wasOpen { log.withLock { $0.openNodes -= 1 } }
    }

    func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness {
        if state.withLock({ !$0.done.isEmpty }) { return .ready }
        return wake.wait(atMost: min(limit, .milliseconds(5))) ? .woken : .timedOut
    }

    func waitForEvent(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness { .timedOut }

    // MARK: Memory

    /// Offsets tell the buffer: pictures from 0, coded ones from 100, each with ten memories.
    private static func key(isCoded: Bool, _ index: Int, _ plane: Int) -> Int {
        (isCoded ? 1_000 : 0) + index * 10 + plane
    }

    func map(length: Int, offset: Int) -> UnsafeMutableRawPointer? {
        log.withLock { $0.mapped += 1 }
        return state.withLock { state in
            nonisolated(unsafe) let memory = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: 4096)
            memory.initializeMemory(as: UInt8.self, repeating: 0, count: length)
            state.memories[offset / 4096] = memory
            state.lengths[offset / 4096] = length
            return memory
        }
    }

    func unmap(_ address: UnsafeMutableRawPointer, length: Int) { log.withLock { $0.unmapped += 1 } }

    // MARK: Calls

    func control(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        let address = UInt(bitPattern: argument)
        return state.withLock { state in
            guard let argument = UnsafeMutableRawPointer(bitPattern: address) else { return EFAULT }
            return answer(request, argument, &state)
        }
    }

    private func answer(_ request: UInt, _ argument: UnsafeMutableRawPointer, _ state: inout State) -> Int32 {
        switch request {
        case shim_VIDIOC_QUERYCAP:
            let entry = argument.assumingMemoryBound(to: v4l2_capability.self)
            let kind = manners.isMultiPlanar ? V4L2_CAP_VIDEO_M2M_MPLANE : V4L2_CAP_VIDEO_M2M
            entry.pointee.capabilities = UInt32(kind | V4L2_CAP_STREAMING)
            return 0
        case shim_VIDIOC_ENUM_FMT:
            let entry = argument.assumingMemoryBound(to: v4l2_fmtdesc.self)
            let codes = isCoded(entry.pointee.type) ? manners.codedFormats : manners.rawFormats
            guard codes.indices.contains(Int(entry.pointee.index)) else { return EINVAL }
            entry.pointee.pixelformat = codes[Int(entry.pointee.index)]
            return 0
        case shim_VIDIOC_S_FMT: return setFormat(argument.assumingMemoryBound(to: v4l2_format.self), &state)
        case shim_VIDIOC_S_PARM, shim_VIDIOC_S_SELECTION, shim_VIDIOC_STREAMON, shim_VIDIOC_STREAMOFF: return 0
        case shim_VIDIOC_S_CTRL: return setControl(argument.assumingMemoryBound(to: v4l2_control.self), &state)
        case shim_VIDIOC_REQBUFS: return 0
        case shim_VIDIOC_QUERYBUF: return queryBuffer(argument.assumingMemoryBound(to: v4l2_buffer.self), state)
        case shim_VIDIOC_QBUF: return enqueue(argument.assumingMemoryBound(to: v4l2_buffer.self).pointee, &state)
        case shim_VIDIOC_DQBUF: return dequeue(argument.assumingMemoryBound(to: v4l2_buffer.self), &state)
        default: return ENOTTY
        }
    }

    private func isCoded(_ type: UInt32) -> Bool {
        type == V4L2_BUF_TYPE_VIDEO_CAPTURE.rawValue || type == V4L2_BUF_TYPE_VIDEO_CAPTURE_MPLANE.rawValue
    }

    private func aligned(_ value: UInt32) -> Int {
        (Int(value) + manners.alignment - 1) / manners.alignment * manners.alignment
    }

    /// Bytes from row to row, and how long each memory of a picture is.
    private func layout(_ format: Format) -> (strides: [Int], lengths: [Int]) {
        let (luma, chroma) = (format.width * format.height, format.width * format.height / 4)
        switch format.code {
        case shim_V4L2_PIX_FMT_YUV420M:
            return ([format.width, format.width / 2, format.width / 2], [luma, chroma, chroma])
        case shim_V4L2_PIX_FMT_NV12M: return ([format.width, format.width], [luma, 2 * chroma])
        default: return ([format.width], [luma + 2 * chroma])
        }
    }

    private func setFormat(_ format: UnsafeMutablePointer<v4l2_format>, _ state: inout State) -> Int32 {
        let coded = isCoded(format.pointee.type)
        let (code, width, height) =
            manners.isMultiPlanar
            ? (
                format.pointee.fmt.pix_mp.pixelformat, format.pointee.fmt.pix_mp.width,
                format.pointee.fmt.pix_mp.height
            )
            : (format.pointee.fmt.pix.pixelformat, format.pointee.fmt.pix.width, format.pointee.fmt.pix.height)
        let new = Format(code: code, width: aligned(width), height: aligned(height))
        if coded {
            state.coded = new
            return 0
        }
        state.raw = new
        let strides = layout(new).strides
        if manners.isMultiPlanar {
            format.pointee.fmt.pix_mp.width = UInt32(new.width)
            format.pointee.fmt.pix_mp.height = UInt32(new.height)
            format.pointee.fmt.pix_mp.num_planes = UInt8(strides.count)
            withUnsafeMutableBytes(of: &format.pointee.fmt.pix_mp.plane_fmt) { planes in
                let planes = planes.bindMemory(to: v4l2_plane_pix_format.self)
                for (index, stride) in strides.enumerated() { planes[index].bytesperline = UInt32(stride) }
            }
        } else {
            format.pointee.fmt.pix.width = UInt32(new.width)
            format.pointee.fmt.pix.height = UInt32(new.height)
            format.pointee.fmt.pix.bytesperline = UInt32(strides[0])
        }
        return 0
    }

    private func setControl(_ control: UnsafeMutablePointer<v4l2_control>, _ state: inout State) -> Int32 {
        let value = control.pointee.value
        switch control.pointee.id {
        case shim_V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME:
            state.isKeyframeForced = true
            log.withLock { $0.forcedKeyframes += 1 }
        case shim_V4L2_CID_MPEG_VIDEO_BITRATE: log.withLock { $0.bitRates.append(value) }
        // Drivers know few of the others.
        default: return EINVAL
        }
        return 0
    }

    private func lengths(isCoded: Bool, _ state: State) -> [Int] {
        isCoded ? [1 << 20] : layout(state.raw).lengths
    }

    private func queryBuffer(_ buffer: UnsafeMutablePointer<v4l2_buffer>, _ state: State) -> Int32 {
        let coded = isCoded(buffer.pointee.type)
        let lengths = lengths(isCoded: coded, state)
        let offsets = lengths.indices.map { Self.key(isCoded: coded, Int(buffer.pointee.index), $0) * 4096 }
        if manners.isMultiPlanar {
            for index in lengths.indices {
                buffer.pointee.m.planes[index].length = UInt32(lengths[index])
                buffer.pointee.m.planes[index].m.mem_offset = UInt32(offsets[index])
            }
            buffer.pointee.length = UInt32(lengths.count)
        } else {
            buffer.pointee.length = UInt32(lengths[0])
            buffer.pointee.m.offset = UInt32(offsets[0])
        }
        return 0
    }

    private func enqueue(_ buffer: v4l2_buffer, _ state: inout State) -> Int32 {
        if isCoded(buffer.type) {
            state.waiting.append(Int(buffer.index))
            return 0
        }
        state.spent.append(Int(buffer.index))
        guard !manners.isDead else { return 0 }
        guard let picture = picture(Int(buffer.index), state) else { return EINVAL }
        return encode(picture, &state) ? 0 : EIO
    }

    private func dequeue(_ buffer: UnsafeMutablePointer<v4l2_buffer>, _ state: inout State) -> Int32 {
        guard isCoded(buffer.pointee.type) else {
            guard !state.spent.isEmpty, !manners.isDead else { return EAGAIN }
            buffer.pointee.index = UInt32(state.spent.removeFirst())
            return 0
        }
        guard !state.done.isEmpty else { return EAGAIN }
        let done = state.done.removeFirst()
        buffer.pointee.index = UInt32(done.buffer)
        buffer.pointee.flags = done.isKeyframe ? UInt32(V4L2_BUF_FLAG_KEYFRAME) : 0
        if manners.isMultiPlanar {
            buffer.pointee.m.planes[0].bytesused = UInt32(done.count)
            buffer.pointee.length = 1
        } else {
            buffer.pointee.bytesused = UInt32(done.count)
        }
        return 0
    }

    // MARK: The encoder itself

    /// What lies in the memories of a buffer, as I420 of the coded size.
    private func picture(_ index: Int, _ state: State) -> VideoFrame? {
        let (raw, size) = (state.raw, PixelSize(width: state.coded.width, height: state.coded.height))
        func row(_ plane: Int, _ offset: Int, _ count: Int) -> [UInt8] {
            guard let memory = state.memories[Self.key(isCoded: false, index, plane)] else { return [] }
            return Array(UnsafeRawBufferPointer(start: memory + offset, count: count))
        }
        let (luma, chroma) = (raw.width * raw.height, raw.width * raw.height / 4)
        var bytes: [UInt8] = []
        for y in 0..<size.height { bytes += row(0, y * raw.width, size.width) }
        for part in 0..<2 {
            for y in 0..<size.height / 2 {
                switch raw.code {
                case shim_V4L2_PIX_FMT_YUV420:
                    bytes += row(0, luma + part * chroma + y * raw.width / 2, size.width / 2)
                case shim_V4L2_PIX_FMT_YUV420M: bytes += row(1 + part, y * raw.width / 2, size.width / 2)
                case shim_V4L2_PIX_FMT_NV12, shim_V4L2_PIX_FMT_NV12M:
                    let isSplit = raw.code == shim_V4L2_PIX_FMT_NV12M
                    let line = row(isSplit ? 1 : 0, (isSplit ? 0 : luma) + y * raw.width, size.width)
                    bytes += stride(from: part, to: line.count, by: 2).map { line[$0] }
                default: return nil
                }
            }
        }
        return bytes.withUnsafeBytes { try? VideoFrame(copying: $0, size: size, format: .i420) }
    }

    private func encode(_ picture: VideoFrame, _ state: inout State) -> Bool {
        do {
            let encoder =
                try state.encoder ?? X264Encoder(VideoEncoderSettings(size: picture.size, preset: "ultrafast"))
            state.encoder = encoder
            let unit = try encoder.encode(
                picture, at: MonotonicTime(microseconds: 0), isKeyframe: state.isKeyframeForced)
            state.isKeyframeForced = false
            var bytes = unit.bytes
            if manners.sendsHeadersApart, unit.isKeyframe {
                let units = AnnexB.units(in: bytes)
                func joined(_ isSet: Bool) -> [UInt8] {
                    units.filter { (7...8).contains(($0.first ?? 0) & 0x1F) == isSet }.flatMap { [0, 0, 0, 1] + $0 }
                }
                if state.sets.isEmpty {
                    state.sets = joined(true)
                    put(state.sets, isKeyframe: false, &state)
                }
                bytes = joined(false)
            }
            put(bytes, isKeyframe: unit.isKeyframe, &state)
            return true
        } catch {
            return false
        }
    }

    private func put(_ bytes: [UInt8], isKeyframe: Bool, _ state: inout State) {
        guard !state.waiting.isEmpty else { return }
        let index = state.waiting.removeFirst()
        let key = Self.key(isCoded: true, index, 0)
        guard let memory = state.memories[key], let length = state.lengths[key], bytes.count <= length else { return }
        memory.copyMemory(from: bytes, byteCount: bytes.count)
        state.done.append((index, bytes.count, isKeyframe))
    }
}

/// A machine with a node that is nothing to us, and one with an encoder.
struct EncoderMachine: VideoNodes {
    var manners = FakeEncoderNode.Manners()
    let log = Locked(FakeEncoderNode.Log())

    func paths() -> [String] { ["/dev/video0", "/dev/video11"] }
    func attribute(_ name: String, of path: String) -> String? { nil }
    func open(_ path: String) throws(DeviceError) -> any VideoNode {
        guard path == "/dev/video11" else { throw DeviceError(.busy, device: path, "in use") }
        return FakeEncoderNode(path, manners, log)
    }
}
