import CLinuxShims
import CamoTypes
import Confinement
import Glibc

@testable import DeviceCore

/// A loopback device behind the system calls, with the habits of v4l2loopback 0.12: a size is kept while readers hold
/// it, capabilities follow the writer, and a buffer handed over can be had back at once.
final class FakeOutputNode: VideoNode {
    struct State {
        var driver = "v4l2 loopback"
        var caps = UInt32(V4L2_CAP_VIDEO_OUTPUT | V4L2_CAP_STREAMING)
        var bufferCount: UInt32 = 4
        /// Size and code that readers, or another program, have fixed.
        var held: (size: PixelSize, code: UInt32)?
        var refusedCodes: Set<UInt32> = []
        /// Calls that fail, and with what.
        var failures: [UInt: Int32] = [:]
        /// The device takes pictures, and gives no buffer back.
        var isStuck = false
        /// A reader asked for so few buffers that those of higher numbers are other names for these.
        var used: UInt32?

        fileprivate(set) var size = PixelSize(width: 0, height: 0)
        fileprivate(set) var code: UInt32 = 0
        fileprivate(set) var isStreaming = false
        fileprivate(set) var isClosed = false
        fileprivate(set) var opened = 0
        fileprivate(set) var mapped = 0
        /// The bytes of each picture, as a reader gets them.
        fileprivate(set) var pictures: [[UInt8]] = []
        /// Which buffer each of them came in.
        fileprivate(set) var indices: [UInt32] = []
        fileprivate var memory: [UnsafeMutableRawPointer] = []
        fileprivate var queue: [UInt32] = []

        fileprivate var bufferLength: Int {
            let pixels = VirtualCameraFormat.preferred.first { $0.code == code }?.pixels ?? .yuyv
            return (pixels.byteCount(size) + 4095) & ~4095
        }
    }

    let path: String
    let state: Locked<State>

    init(_ path: String = "/dev/video9", _ set: (inout State) -> Void = { _ in }) {
        self.path = path
        var state = State()
        set(&state)
        self.state = Locked(state)
    }

    deinit { state.withLock { state in for memory in state.memory { memory.deallocate() } } }

    func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness { .timedOut }
    func waitForEvent(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness { .timedOut }

    func map(length: Int, offset: Int) -> UnsafeMutableRawPointer? {
        state.withLock { state in
            nonisolated(unsafe) let memory = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: 4096)
            memory.initializeMemory(as: UInt8.self, repeating: 0xEE, count: length)
            state.memory.append(memory)
            state.mapped += 1
            return memory
        }
    }

    func unmap(_ address: UnsafeMutableRawPointer, length: Int) { state.withLock { $0.mapped -= 1 } }

    func close() {
        state.withLock { state in
            state.isClosed = true
            state.isStreaming = false
        }
    }

    func control(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        let address = UInt(bitPattern: argument)
        return state.withLock { state in
            if state.isClosed { return EBADF }
            if let failure = state.failures[request] { return failure }
            guard let argument = UnsafeMutableRawPointer(bitPattern: address) else { return EFAULT }
            return Self.answer(request, argument, &state)
        }
    }

    private static func answer(_ request: UInt, _ argument: UnsafeMutableRawPointer, _ state: inout State) -> Int32 {
        switch request {
        case shim_VIDIOC_QUERYCAP:
            let capability = argument.assumingMemoryBound(to: v4l2_capability.self)
            capability.pointee.capabilities = state.caps | UInt32(V4L2_CAP_DEVICE_CAPS)
            capability.pointee.device_caps = state.caps
            withUnsafeMutableBytes(of: &capability.pointee.driver) { $0.copyBytes(from: state.driver.utf8.prefix(15)) }
            withUnsafeMutableBytes(of: &capability.pointee.card) { $0.copyBytes(from: "Camo".utf8) }
            return 0
        case shim_VIDIOC_S_FMT:
            return setFormat(argument.assumingMemoryBound(to: v4l2_format.self), &state)
        case shim_VIDIOC_S_PARM: return 0
        case shim_VIDIOC_REQBUFS:
            let buffers = argument.assumingMemoryBound(to: v4l2_requestbuffers.self)
            buffers.pointee.count = min(buffers.pointee.count, state.bufferCount)
            return 0
        case shim_VIDIOC_QUERYBUF:
            let buffer = argument.assumingMemoryBound(to: v4l2_buffer.self)
            let index = buffer.pointee.index % (state.used ?? state.bufferCount)
            buffer.pointee.length = UInt32(state.bufferLength)
            buffer.pointee.m.offset = index * UInt32(state.bufferLength)
            return 0
        case shim_VIDIOC_QBUF: return enqueue(argument.assumingMemoryBound(to: v4l2_buffer.self), &state)
        case shim_VIDIOC_DQBUF:
            guard !state.isStuck, let last = state.queue.popLast() else { return EAGAIN }
            argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.index = last
            return 0
        case shim_VIDIOC_STREAMON:
            state.isStreaming = true
            return 0
        case shim_VIDIOC_STREAMOFF:
            state.isStreaming = false
            return 0
        default: return ENOTTY
        }
    }

    private static func setFormat(_ format: UnsafeMutablePointer<v4l2_format>, _ state: inout State) -> Int32 {
        let wish = format.pointee.fmt.pix
        guard format.pointee.type == V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue else { return EINVAL }
        guard !state.refusedCodes.contains(wish.pixelformat) else { return EINVAL }
        state.size = state.held?.size ?? PixelSize(width: Int(wish.width), height: Int(wish.height))
        state.code = state.held?.code ?? wish.pixelformat
        format.pointee.fmt.pix.width = UInt32(state.size.width)
        format.pointee.fmt.pix.height = UInt32(state.size.height)
        format.pointee.fmt.pix.pixelformat = state.code
        let pixels = VirtualCameraFormat.preferred.first { $0.code == format.pointee.fmt.pix.pixelformat }?.pixels
        format.pointee.fmt.pix.bytesperline = UInt32(pixels?.rowBytes(plane: 0, width: state.size.width) ?? 0)
        format.pointee.fmt.pix.sizeimage = UInt32(state.bufferLength)
        return 0
    }

    private static func enqueue(_ buffer: UnsafeMutablePointer<v4l2_buffer>, _ state: inout State) -> Int32 {
        guard state.isStreaming, buffer.pointee.type == V4L2_BUF_TYPE_VIDEO_OUTPUT.rawValue else { return EINVAL }
        let index = buffer.pointee.index % (state.used ?? state.bufferCount)
        guard state.memory.indices.contains(state.memory.count - Int(state.bufferCount) + Int(index)) else {
            return EINVAL
        }
        let memory = state.memory[state.memory.count - Int(state.bufferCount) + Int(index)]
        state.pictures.append(
            Array(UnsafeRawBufferPointer(start: memory, count: Int(buffer.pointee.bytesused))))
        state.indices.append(index)
        state.queue.append(index)
        return 0
    }

    fileprivate func open() {
        state.withLock { state in
            state.isClosed = false
            state.opened += 1
            state.queue = []
        }
    }
}

/// A machine with one loopback device, or with none.
struct FakeOutputNodes: VideoNodes {
    var node: FakeOutputNode?
    var refusal: DeviceError?

    func paths() -> [String] { node.map { [$0.path] } ?? [] }

    func open(_ path: String) throws(DeviceError) -> any VideoNode {
        if let refusal { throw refusal }
        guard let node, node.path == path else {
            throw DeviceError(.notFound, device: path, "there is no such camera")
        }
        node.open()
        return node
    }

    func attribute(_ name: String, of path: String) -> String? { nil }
}

/// Files that exist in a test only.
struct FakeFiles: SystemFiles {
    var texts: [String: String] = [:]

    func text(_ path: String) -> String? { texts[path] }

    func names(in folder: String) -> [String] {
        let lead = folder + "/"
        return Set(
            texts.keys.filter { $0.hasPrefix(lead) }
                .compactMap { $0.dropFirst(lead.count).split(separator: "/").first.map(String.init) }
        ).sorted()
    }
}
