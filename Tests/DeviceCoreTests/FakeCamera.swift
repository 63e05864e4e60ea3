import CLinuxShims
import CamoTypes
import Confinement
import Glibc

@testable import DeviceCore

/// A camera behind the system calls: answers the ioctls as the V4L2 manual says, and plays a script of what drivers
/// do that no emulated one does.
final class FakeCamera: VideoNode {
    /// What happens next at VIDIOC_DQBUF.
    enum Step: Sendable {
        case picture(Picture)
        case failure(Int32)
        /// Nothing comes for this long.
        case silence(Microseconds)
        /// Another signal is at its input, and the driver says so.
        case sourceChange(Result<PixelSize, SignalFailure>)
    }

    struct Picture: Sendable {
        var bytes: [UInt8]
        /// What the driver says it has written; nil: all of `bytes`.
        var bytesUsed: Int?
        /// What goes into the buffer's other memories, with the multi-planar API.
        var others: [[UInt8]] = []
        /// The bytes of each memory before the picture begins, with the multi-planar API.
        var dataOffset = 0
        var flags: UInt32 = 0
        var sequence: UInt32 = 0
        /// `enum v4l2_field`.
        var field: UInt32 = 0
        var stamp = timeval()
    }

    /// One entry of VIDIOC_ENUM_FMT with its sizes and rates.
    struct Offer: Sendable {
        var code: UInt32
        var sizes: [PixelSize] = []
        var rates: [Double] = []
        /// Instead of `sizes`: from, to, step.
        var range: (PixelSize, PixelSize, PixelSize)?
    }

    struct State {
        var caps = UInt32(V4L2_CAP_VIDEO_CAPTURE | V4L2_CAP_STREAMING)
        var card = "Fake Camera"
        var bus = "usb-0000:00:14.0-2"
        var offers: [Offer] = [Offer(code: shim_V4L2_PIX_FMT_YUYV, sizes: [PixelSize(width: 4, height: 2)])]
        /// Changes what VIDIOC_S_FMT has been asked for into what the driver makes of it.
        var adjust: @Sendable (inout v4l2_pix_format) -> Void = { _ in }
        /// Calls that fail, and with what.
        var failures: [UInt: Int32] = [:]
        var script: [Step] = []
        var interval = v4l2_fract(numerator: 1, denominator: 30)
        var bufferSize = 4096
        /// Memories of a buffer, and what VIDIOC_S_FMT says of the rows in each, with the multi-planar API.
        var planeStrides: [UInt32] = [0]
        /// Buffers that the driver holds, in order.
        var queue: [Int] = []
        var isStreaming = false
        var isClosed = false
        var unmapped = 0
        var callsAfterClose = 0
        var setFormats: [UInt32] = []
        var setHeights: [UInt32] = []
        /// What is at its input; nil: it is a camera.
        var signal: Signal?
        var hasSourceChanged = false
        var controls: [FakeControl] = []
        /// The whole picture and the region, where the driver has one; and the calls that set it, in order.
        var region: (whole: v4l2_rect, part: v4l2_rect)?
        var aimed: [UInt32] = []
        /// Controls whose change was not yet heard of.
        var events: [UInt32] = []
        var subscriptions: Set<UInt32> = []
        var memory: [UnsafeMutableRawPointer] = []

        var isMultiPlanar: Bool { caps & UInt32(V4L2_CAP_VIDEO_CAPTURE_MPLANE) != 0 }
    }

    let path: String
    let state: Locked<State>
    /// Moves by the script's silences and the waits that time out, where given.
    let clock: ManualClock?

    init(_ path: String = "/dev/video0", clock: ManualClock? = nil, _ set: (inout State) -> Void = { _ in }) {
        self.path = path
        self.clock = clock
        var state = State()
        set(&state)
        self.state = Locked(state)
    }

    deinit { state.withLock { state in for memory in state.memory { memory.deallocate() } } }

    func add(_ steps: Step...) { state.withLock { $0.script += steps } }

    func wait(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness {
        if wake.wait(atMost: .zero) { return .woken }
        let silence = state.withLock { state -> Microseconds? in
            switch state.script.first {
            case .picture, .failure: return nil
            case .sourceChange(let detected):
                state.signal?.detected = detected
                state.hasSourceChanged = true
                state.script.removeFirst()
                return nil
            case .silence(let time):
                if time > limit {
                    state.script[0] = .silence(Microseconds(time.count - limit.count))
                } else {
                    state.script.removeFirst()
                }
                return min(time, limit)
            case nil: return limit
            }
        }
        guard let silence else { return .ready }
        if let clock {
            clock.advance(by: silence)
            return .timedOut
        }
        return wake.wait(atMost: silence) ? .woken : .timedOut
    }

    // Called in the order of the buffers and their memories.
    func map(length: Int, offset: Int) -> UnsafeMutableRawPointer? {
        state.withLock { state in
            nonisolated(unsafe) let memory = UnsafeMutableRawPointer.allocate(byteCount: length, alignment: 4096)
            memory.initializeMemory(as: UInt8.self, repeating: 0xEE, count: length)
            state.memory.append(memory)
            return memory
        }
    }

    // The memory itself stays until the camera goes, so that a use after unmapping shows as a count, not a crash.
    func unmap(_ address: UnsafeMutableRawPointer, length: Int) { state.withLock { $0.unmapped += 1 } }

    func close() { state.withLock { $0.isClosed = true } }

    func control(_ request: UInt, _ argument: UnsafeMutableRawPointer) -> Int32 {
        // As a number, because the pointer must not become part of the locked state.
        let address = UInt(bitPattern: argument)
        return state.withLock { state in
            if state.isClosed { state.callsAfterClose += 1 }
            if let failure = state.failures[request] { return failure }
            return Self.answer(request, address, &state)
        }
    }

    private static func answer(
        _ request: UInt, _ address: UInt, _ state: inout State
    ) -> Int32 {
        guard let argument = UnsafeMutableRawPointer(bitPattern: address) else { return EFAULT }
        switch request {
        case shim_VIDIOC_QUERYCAP:
            return queryCapability(argument.assumingMemoryBound(to: v4l2_capability.self), state)
        case shim_VIDIOC_ENUM_FMT:
            let entry = argument.assumingMemoryBound(to: v4l2_fmtdesc.self)
            guard state.offers.indices.contains(Int(entry.pointee.index)) else { return EINVAL }
            entry.pointee.pixelformat = state.offers[Int(entry.pointee.index)].code
            return 0
        case shim_VIDIOC_ENUM_FRAMESIZES:
            return enumerateSizes(argument.assumingMemoryBound(to: v4l2_frmsizeenum.self), state)
        case shim_VIDIOC_ENUM_FRAMEINTERVALS:
            return enumerateRates(argument.assumingMemoryBound(to: v4l2_frmivalenum.self), state)
        case shim_VIDIOC_S_FMT:
            return setFormat(argument.assumingMemoryBound(to: v4l2_format.self), &state)
        case shim_VIDIOC_G_PARM:
            let parameters = argument.assumingMemoryBound(to: v4l2_streamparm.self)
            parameters.pointee.parm.capture.capability = UInt32(V4L2_CAP_TIMEPERFRAME)
            parameters.pointee.parm.capture.timeperframe = state.interval
            return 0
        case shim_VIDIOC_S_PARM:
            argument.assumingMemoryBound(to: v4l2_streamparm.self).pointee.parm.capture.timeperframe = state.interval
            return 0
        case shim_VIDIOC_QUERY_DV_TIMINGS, shim_VIDIOC_G_DV_TIMINGS, shim_VIDIOC_S_DV_TIMINGS:
            return answerSignal(request, argument, &state)
        case shim_VIDIOC_SUBSCRIBE_EVENT
        where argument.assumingMemoryBound(to: v4l2_event_subscription.self).pointee.type
            == UInt32(V4L2_EVENT_SOURCE_CHANGE):
            return state.signal == nil ? EINVAL : 0
        case shim_VIDIOC_DQEVENT where state.hasSourceChanged:
            state.hasSourceChanged = false
            argument.assumingMemoryBound(to: v4l2_event.self).pointee.type = UInt32(V4L2_EVENT_SOURCE_CHANGE)
            return 0
        case shim_VIDIOC_REQBUFS:
            if argument.assumingMemoryBound(to: v4l2_requestbuffers.self).pointee.count == 0 { state.queue = [] }
            return 0
        case shim_VIDIOC_QUERYBUF:
            let buffer = argument.assumingMemoryBound(to: v4l2_buffer.self)
            guard state.isMultiPlanar else {
                buffer.pointee.length = UInt32(state.bufferSize)
                return 0
            }
            for plane in state.planeStrides.indices { buffer.pointee.m.planes[plane].length = UInt32(state.bufferSize) }
            buffer.pointee.length = UInt32(state.planeStrides.count)
            return 0
        case shim_VIDIOC_QBUF:
            state.queue.append(Int(argument.assumingMemoryBound(to: v4l2_buffer.self).pointee.index))
            return 0
        case shim_VIDIOC_DQBUF:
            return dequeue(argument.assumingMemoryBound(to: v4l2_buffer.self), &state)
        case shim_VIDIOC_STREAMON:
            state.isStreaming = true
            return 0
        case shim_VIDIOC_STREAMOFF:
            state.isStreaming = false
            state.queue = []
            return 0
        default:
            return answerControl(request, argument, &state)
        }
    }

    /// The structure of the API that the camera does not have stays as it was.
    private static func setFormat(_ format: UnsafeMutablePointer<v4l2_format>, _ state: inout State) -> Int32 {
        guard state.isMultiPlanar else {
            state.setFormats.append(format.pointee.fmt.pix.pixelformat)
            state.setHeights.append(format.pointee.fmt.pix.height)
            state.adjust(&format.pointee.fmt.pix)
            return 0
        }
        var pix = v4l2_pix_format()
        pix.width = format.pointee.fmt.pix_mp.width
        pix.height = format.pointee.fmt.pix_mp.height
        pix.pixelformat = format.pointee.fmt.pix_mp.pixelformat
        state.setFormats.append(pix.pixelformat)
        state.adjust(&pix)
        format.pointee.fmt.pix_mp.width = pix.width
        format.pointee.fmt.pix_mp.height = pix.height
        format.pointee.fmt.pix_mp.pixelformat = pix.pixelformat
        format.pointee.fmt.pix_mp.field = pix.field
        format.pointee.fmt.pix_mp.num_planes = UInt8(state.planeStrides.count)
        withUnsafeMutableBytes(of: &format.pointee.fmt.pix_mp.plane_fmt) { bytes in
            let planes = bytes.bindMemory(to: v4l2_plane_pix_format.self)
            for (index, stride) in state.planeStrides.enumerated() { planes[index].bytesperline = stride }
        }
        return 0
    }

    private static func dequeue(_ buffer: UnsafeMutablePointer<v4l2_buffer>, _ state: inout State) -> Int32 {
        switch state.script.first {
        case nil, .silence, .sourceChange: return EAGAIN
        case .failure(let code):
            state.script.removeFirst()
            return code
        case .picture(let picture):
            // A driver without a buffer has nowhere to put the picture.
            guard !state.queue.isEmpty else { return EAGAIN }
            state.script.removeFirst()
            let index = state.queue.removeFirst()
            buffer.pointee.index = UInt32(index)
            let memories = [picture.bytes] + picture.others
            for (plane, bytes) in memories.enumerated() {
                let memory = state.memory[index * memories.count + plane]
                bytes.withUnsafeBytes { bytes in
                    guard let base = bytes.baseAddress else { return }
                    (memory + picture.dataOffset).copyMemory(from: base, byteCount: bytes.count)
                }
                let used = UInt32(picture.dataOffset + (picture.bytesUsed ?? bytes.count))
                if state.isMultiPlanar {
                    buffer.pointee.m.planes[plane].bytesused = used
                    buffer.pointee.m.planes[plane].data_offset = UInt32(picture.dataOffset)
                } else {
                    buffer.pointee.bytesused = used
                }
            }
            if state.isMultiPlanar { buffer.pointee.length = UInt32(memories.count) }
            buffer.pointee.flags = picture.flags
            buffer.pointee.sequence = picture.sequence
            buffer.pointee.field = picture.field
            buffer.pointee.timestamp = picture.stamp
            return 0
        }
    }

    private static func queryCapability(
        _ capability: UnsafeMutablePointer<v4l2_capability>, _ state: State
    ) -> Int32 {
        // What other nodes of the device can do is here too, as with a webcam's metadata node.
        capability.pointee.capabilities = state.caps | UInt32(V4L2_CAP_VIDEO_CAPTURE) | UInt32(V4L2_CAP_DEVICE_CAPS)
        capability.pointee.device_caps = state.caps
        withUnsafeMutableBytes(of: &capability.pointee.card) { $0.copyBytes(from: state.card.utf8.prefix(31)) }
        withUnsafeMutableBytes(of: &capability.pointee.bus_info) { $0.copyBytes(from: state.bus.utf8.prefix(31)) }
        return 0
    }

    private static func enumerateSizes(_ entry: UnsafeMutablePointer<v4l2_frmsizeenum>, _ state: State) -> Int32 {
        guard let offer = state.offers.first(where: { $0.code == entry.pointee.pixel_format }) else { return EINVAL }
        let index = Int(entry.pointee.index)
        if let (least, greatest, step) = offer.range {
            guard index == 0 else { return EINVAL }
            entry.pointee.type = V4L2_FRMSIZE_TYPE_STEPWISE.rawValue
            entry.pointee.stepwise = v4l2_frmsize_stepwise(
                min_width: UInt32(least.width), max_width: UInt32(greatest.width), step_width: UInt32(step.width),
                min_height: UInt32(least.height), max_height: UInt32(greatest.height),
                step_height: UInt32(step.height))
            return 0
        }
        guard offer.sizes.indices.contains(index) else { return EINVAL }
        entry.pointee.type = V4L2_FRMSIZE_TYPE_DISCRETE.rawValue
        entry.pointee.discrete.width = UInt32(offer.sizes[index].width)
        entry.pointee.discrete.height = UInt32(offer.sizes[index].height)
        return 0
    }

    private static func enumerateRates(_ entry: UnsafeMutablePointer<v4l2_frmivalenum>, _ state: State) -> Int32 {
        guard let offer = state.offers.first(where: { $0.code == entry.pointee.pixel_format }),
            offer.rates.indices.contains(Int(entry.pointee.index))
        else { return EINVAL }
        entry.pointee.type = V4L2_FRMIVAL_TYPE_DISCRETE.rawValue
        entry.pointee.discrete = v4l2_fract(
            numerator: 1000, denominator: UInt32(offer.rates[Int(entry.pointee.index)] * 1000))
        return 0
    }
}

/// A machine with fake cameras.
struct FakeVideoNodes: VideoNodes {
    var cameras: [FakeCamera] = []
    /// Paths that cannot be opened.
    var refused: [String: DeviceError] = [:]
    /// `path/attribute`.
    var attributes: [String: String] = [:]

    func paths() -> [String] { (cameras.map(\.path) + refused.keys).sorted() }

    func open(_ path: String) throws(DeviceError) -> any VideoNode {
        if let error = refused[path] { throw error }
        guard let camera = cameras.first(where: { $0.path == path }) else {
            throw DeviceError(.notFound, device: path, "there is no such camera")
        }
        camera.state.withLock { $0.isClosed = false }
        return camera
    }

    func attribute(_ name: String, of path: String) -> String? { attributes[path + "/" + name] }
}
