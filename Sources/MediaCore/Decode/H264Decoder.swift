internal import CFFmpegShims
package import CamoTypes

/// H.264 access units in, pictures out: each before the next unit goes in.
///
/// Nothing that a peer sends ends it: what cannot be decoded is dropped and counted, and then nothing is shown until
/// the next keyframe, since a picture that refers to a missing one would be torn.
///
/// Not thread-safe: it lives on one queue. One decoding thread, so that no picture waits for another.
package final class H264Decoder {
    package enum Outcome: Sendable {
        case picture(VideoFrame)
        /// Not a keyframe, and one is needed first.
        case waitingForKeyframe
        /// Broken; a keyframe is needed.
        case broken(MediaError)
        /// Decoded, but not what the stream was said to carry, or larger than anything that is handled.
        case refused(MediaError)
    }

    package struct Counts: Hashable, Sendable {
        package var decoded = 0
        package var broken = 0
        package var refused = 0
        package var skipped = 0
    }

    package private(set) var counts = Counts()
    /// The caller is to ask the sender for a keyframe.
    package private(set) var needsKeyframe = true

    private let expected: VideoStreamFormat?
    private let context: CodecContext
    private let packet: Packet

    /// - Parameter expected: What the stream was said to carry; pictures of another size are refused. Nil takes all.
    package init(expecting expected: VideoStreamFormat? = nil) throws(MediaError) {
        guard let codec = avcodec_find_decoder(AV_CODEC_ID_H264) else {
            throw MediaError(.unsupported, "this libavcodec has no H.264 decoder")
        }
        let context = try CodecContext(codec)
        let c = context.pointer
        c.pointee.thread_count = 1
        // UNALIGNED: the SPS's cropping is applied exactly, also where the first pixel is then not aligned.
        c.pointee.flags |= AV_CODEC_FLAG_LOW_DELAY | Int32(bitPattern: UInt32(AV_CODEC_FLAG_UNALIGNED))
        c.pointee.max_pixels = Int64(PixelSize.maximum.area)
        // Error concealment stays on although what it conceals is not shown: without it libavcodec does not keep the
        // table by which it knows damage, and takes every picture of several slices for damaged.
        c.pointee.err_recognition = AV_EF_EXPLODE
        try context.open("the H.264 decoder")
        self.context = context
        packet = try Packet()
        self.expected = expected
    }

    /// Decodes one access unit. A picture may be kept for as long as the caller likes.
    package func decode(_ unit: AccessUnit) -> Outcome {
        if needsKeyframe, !unit.isKeyframe {
            counts.skipped += 1
            return .waitingForKeyframe
        }
        do throws(MediaError) {
            let frame = try decodeFrame(unit)
            let picture = try picture(of: frame, at: unit.presentationTime)
            needsKeyframe = false
            counts.decoded += 1
            return .picture(picture)
        } catch {
            // Pictures kept inside would come out later, under another unit's time.
            avcodec_flush_buffers(context.pointer)
            needsKeyframe = true
            if error.code == .unsupported {
                counts.refused += 1
                return .refused(error)
            }
            counts.broken += 1
            return .broken(error)
        }
    }

    private func decodeFrame(_ unit: AccessUnit) throws(MediaError) -> DecodedFrame {
        let context = context.pointer
        let p = packet.pointer
        let sent = unit.bytes.withUnsafeBufferPointer { bytes -> Int32 in
            // Without a buffer of its own the packet is copied into one that has the padding the decoder reads.
            p.pointee.data = UnsafeMutablePointer(mutating: bytes.baseAddress)
            p.pointee.size = Int32(clamping: bytes.count)
            defer { (p.pointee.data, p.pointee.size) = (nil, 0) }
            // An empty packet would mean the end of the stream.
            return bytes.isEmpty ? cff_error_invalid_data() : avcodec_send_packet(context, p)
        }
        try check(sent, "an access unit of \(unit.bytes.count) bytes cannot be decoded", otherwise: .badData)
        let frame = try DecodedFrame()
        let received = avcodec_receive_frame(context, frame.pointer)
        guard received >= 0 else {
            throw MediaError(.badData, "an access unit of \(unit.bytes.count) bytes holds no whole picture")
        }
        guard frame.pointer.pointee.decode_error_flags == 0,
            frame.pointer.pointee.flags & AV_FRAME_FLAG_CORRUPT == 0
        else { throw MediaError(.badData, "a picture is damaged") }
        return frame
    }

    private func picture(of frame: DecodedFrame, at time: MonotonicTime) throws(MediaError) -> VideoFrame {
        let picture = try frame.videoFrame(at: time)
        if let expected, picture.size != expected.size {
            throw MediaError(
                .unsupported, "the stream was said to carry \(expected.size), but a picture of \(picture.size) came")
        }
        return picture
    }
}
