internal import CLinuxShims
import CamoTypes
import Confinement
import Glibc

/// A hardware encoder behind a memory-to-memory node: one picture in, its coded bytes out, before the next goes in.
///
/// The order of the calls is that of the kernel's "Memory-to-Memory Stateful Video Encoder Interface"
/// (userspace-api/media/v4l/dev-encoder.rst). Not thread-safe: it lives on one queue.
package final class StatefulEncoder {
    package struct Settings: Hashable, Sendable {
        /// Even sides.
        package var size: PixelSize
        package var framesPerSecond: Double
        package var bitsPerSecond: Int
        /// Said of the pictures, for the stream's own description of them.
        package var color: ColorDescription
        /// A V4L2 code.
        package var codedFormat: UInt32

        package init(
            size: PixelSize, framesPerSecond: Double, bitsPerSecond: Int, color: ColorDescription,
            codedFormat: UInt32 = EncoderNode.h264
        ) {
            (self.size, self.framesPerSecond, self.bitsPerSecond) = (size, framesPerSecond, bitsPerSecond)
            (self.color, self.codedFormat) = (color, codedFormat)
        }
    }

    /// What came out at once.
    package struct Coded: Sendable {
        package var bytes: [UInt8]
        /// As the driver marks it (V4L2_BUF_FLAG_KEYFRAME).
        package var isKeyframe: Bool
        /// Which picture it was made of, the first being 1, by the time stamp that the driver copies; nil where it copies
        /// none.
        package var number: Int64?
    }

    package let settings: Settings
    private let node: any VideoNode
    private let wake: WakeUp
    private let pictures: MappedQueue
    private let coded: MappedQueue
    private let layout: EncoderLayout
    private let clock: any MonotonicClock
    private var stamp: Int64 = 0

    /// One is filled while the other is read.
    private static let pictureBuffers = 2
    private static let codedBuffers = 4

    /// - Throws: ``DeviceError``, every code but `.notACaptureDevice` and `.stalled`.
    package init(
        _ device: EncoderNode, _ settings: Settings, nodes: any VideoNodes = SystemVideoNodes(),
        clock: any MonotonicClock = SystemClock()
    ) throws(DeviceError) {
        guard let wake = WakeUp() else {
            throw DeviceError(.failed, device: device.path, "this process has no file descriptors left")
        }
        let node = try nodes.open(device.path)
        do throws(DeviceError) {
            let pictureQueue = BufferQueue(node: node, api: device.api, direction: .output)
            let codedQueue = BufferQueue(node: node, api: device.api)
            try codedQueue.setCodedFormat(settings)
            layout = try pictureQueue.setRawFormat(settings)
            pictureQueue.setVisible(settings.size)
            pictureQueue.setInterval(settings.framesPerSecond)
            EncoderControls(node: node).prepare(settings)
            pictures = try MappedQueue(pictureQueue, count: Self.pictureBuffers)
            coded = try MappedQueue(codedQueue, count: Self.codedBuffers)
            try coded.enqueueAll()
            try pictures.start()
            try coded.start()
        } catch {
            node.close()
            throw error
        }
        (self.node, self.wake, self.settings, self.clock) = (node, wake, settings, clock)
    }

    deinit {
        pictures.end()
        coded.end()
        node.close()
    }

    /// Encodes one picture in I420 of the size of the settings.
    ///
    /// - Parameters:
    ///   - isKeyframe: It is to be one (V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME).
    ///   - limit: How long to wait for what comes out.
    /// - Throws: ``DeviceError``; `.stalled` when nothing has come.
    package func encode(
        _ picture: VideoFrame, isKeyframe: Bool, within limit: Microseconds
    ) throws(DeviceError) -> Coded {
        if isKeyframe { EncoderControls(node: node).forceKeyframe() }
        guard let index = try pictures.freeBuffer() else {
            throw DeviceError(.stalled, device: node.path, "the encoder has not given the last pictures back")
        }
        guard picture.size == settings.size, layout.write(picture, into: pictures.memories(of: index)) else {
            throw DeviceError(.failed, device: node.path, "a picture of \(picture.size) does not fit its buffer")
        }
        stamp += 1
        try pictures.enqueue(index, used: layout.used, stamp: timeval(tv_sec: Int(stamp), tv_usec: 0))
        return try next(within: limit)
    }

    /// What comes out next: after parameter sets that a driver sends by themselves.
    package func next(within limit: Microseconds) throws(DeviceError) -> Coded {
        guard let next = try take(until: clock.now + limit).coded else {
            throw DeviceError(.stalled, device: node.path, "the encoder gave nothing for a picture")
        }
        return next
    }

    /// Has the encoder bring out all that it still holds. It takes no picture until ``restart()``.
    ///
    /// - Returns: What had not come out.
    /// - Throws: ``DeviceError``; `.unsupported` where the driver has no such command, `.stalled` when it does not end.
    package func drain(within limit: Microseconds) throws(DeviceError) -> [Coded] {
        var command = v4l2_encoder_cmd()
        command.cmd = UInt32(V4L2_ENC_CMD_STOP)
        switch node.control(shim_VIDIOC_ENCODER_CMD, &command) {
        case 0: break
        case ENOTTY, EINVAL:
            throw DeviceError(.unsupported, device: node.path, "the encoder cannot be told to come to an end")
        case let error: throw node.failure(error, "the encoder does not come to an end")
        }
        let deadline = clock.now + limit
        var rest: [Coded] = []
        while true {
            let (coded, isLast) = try take(until: deadline)
            if let coded { rest.append(coded) }
            if isLast { return rest }
            guard coded != nil else {
                throw DeviceError(.stalled, device: node.path, "the encoder does not come to an end")
            }
        }
    }

    /// Goes on after ``drain(within:)``, with a keyframe. Not by V4L2_ENC_CMD_START, after which the coded side of
    /// vicodec stays at its end (Linux 6.1); the interface has this way too.
    package func restart() throws(DeviceError) { try coded.restart() }

    /// Nothing where nothing comes. The last buffer of a stream that was drained may be empty.
    private func take(until deadline: MonotonicTime) throws(DeviceError) -> (coded: Coded?, isLast: Bool) {
        var wasReady = false
        while true {
            if let (bytes, flags, stamp) = try coded.take() {
                let isLast = flags & UInt32(V4L2_BUF_FLAG_LAST) != 0
                let isCopied = flags & UInt32(V4L2_BUF_FLAG_TIMESTAMP_MASK) == UInt32(V4L2_BUF_FLAG_TIMESTAMP_COPY)
                guard !bytes.isEmpty else {
                    if isLast { return (nil, true) }
                    continue
                }
                let isKeyframe = flags & UInt32(V4L2_BUF_FLAG_KEYFRAME) != 0
                let number = isCopied ? Int64(stamp.tv_sec) : nil
                return (Coded(bytes: bytes, isKeyframe: isKeyframe, number: number), isLast)
            }
            let left = deadline - clock.now
            guard left.count > 0 else { return (nil, false) }
            // A driver that says "ready" and has nothing must not keep a processor busy.
            if wasReady { _ = wake.wait(atMost: .milliseconds(1)) }
            wasReady = node.wait(wake, atMost: left) == .ready
        }
    }

    /// From the next picture on.
    package func setBitRate(_ bitsPerSecond: Int) { EncoderControls(node: node).setBitRate(bitsPerSecond) }
}
