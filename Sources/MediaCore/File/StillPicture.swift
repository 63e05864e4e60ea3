internal import CFFmpegShims
package import CamoTypes
internal import Glibc

/// A picture that is a file of its own: PNG, JPEG, WebP or BMP, told apart by its first bytes.
package enum StillPicture {
    /// Bytes. A camera's largest photo is a fraction of it.
    static let longestFile = 64 << 20

    /// - Returns: I420, limited range, even.
    /// - Throws: ``MediaError``: it isn't there, may not be read, is no such picture, or is larger than
    ///   `PixelSize.maximum`.
    package static func read(_ path: String) throws(MediaError) -> VideoFrame {
        let packet = try contents(of: path)
        guard let codec = codec(of: packet.bytes) else {
            throw MediaError(.badData, "\(path) is no picture: PNG, JPEG, WebP and BMP are read")
        }
        let frame = try decode(packet, codec, path)
        guard frame.size.isWithinLimits, frame.size.width >= 2, frame.size.height >= 2 else {
            throw MediaError(.unsupported, "\(path): a picture of \(frame.size) is outside 2x2 … \(PixelSize.maximum)")
        }
        return try PictureScaler(size: frame.size.evened).convert(frame, at: nil)
    }

    private static func contents(of path: String) throws(MediaError) -> Packet {
        // A pipe would not be waited for, and is then refused.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw MediaError(ffmpeg: cff_error(errno), "cannot read \(path)", otherwise: .io) }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw MediaError(.badData, "\(path) is no file")
        }
        guard (1...longestFile).contains(Int(status.st_size)) else {
            throw MediaError(.badData, "\(path): \(status.st_size) bytes are no picture")
        }
        let packet = try Packet()
        try check(av_new_packet(packet.pointer, Int32(status.st_size)), "cannot read \(path)", otherwise: .noMemory)
        var count = 0
        while count < Int(status.st_size) {
            let result = Glibc.read(file, packet.pointer.pointee.data + count, Int(status.st_size) - count)
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else {
                throw MediaError(ffmpeg: cff_error(errno), "cannot read \(path)", otherwise: .io)
            }
            guard result > 0 else { throw MediaError(.badData, "\(path) became shorter while it was read") }
            count += result
        }
        return packet
    }

    private static func codec(of bytes: UnsafeRawBufferPointer) -> AVCodecID? {
        if bytes.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) { return AV_CODEC_ID_PNG }
        if bytes.starts(with: [0xFF, 0xD8, 0xFF]) { return AV_CODEC_ID_MJPEG }
        if bytes.starts(with: Array("RIFF".utf8)), bytes.dropFirst(8).starts(with: Array("WEBP".utf8)) {
            return AV_CODEC_ID_WEBP
        }
        return bytes.starts(with: Array("BM".utf8)) ? AV_CODEC_ID_BMP : nil
    }

    private static func decode(
        _ packet: borrowing Packet, _ codec: AVCodecID, _ path: String
    ) throws(MediaError) -> DecodedFrame {
        guard let decoder = avcodec_find_decoder(codec) else {
            let name = String(cString: avcodec_get_name(codec))
            throw MediaError(.unsupported, "\(path): this libavcodec cannot decode \(name)")
        }
        let context = try CodecContext(decoder)
        context.pointer.pointee.thread_count = 1
        context.pointer.pointee.max_pixels = Int64(PixelSize.maximum.area)
        try context.open("the decoder of \(path)")
        try check(avcodec_send_packet(context.pointer, packet.pointer), "\(path) is damaged", otherwise: .badData)
        avcodec_send_packet(context.pointer, nil)
        let frame = try DecodedFrame()
        try check(
            avcodec_receive_frame(context.pointer, frame.pointer), "\(path) is damaged", otherwise: .badData)
        return frame
    }
}
