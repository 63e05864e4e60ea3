internal import CFFmpegShims

/// Sole owner of an `AVIOContext` that is connected to a server.
final class ServerOutput {
    private let context: UnsafeMutablePointer<AVIOContext>
    /// Kept alive for the callback.
    private let interruption: Interruption

    /// Connects; blocks until that is done, or the time is over.
    init(url: String, options: [String: String], interruption: Interruption) throws(MediaError) {
        _ = MediaLog.isTaken
        self.interruption = interruption
        var dictionary: OpaquePointer?
        for (key, value) in options { av_dict_set(&dictionary, key, value, 0) }
        defer { av_dict_free(&dictionary) }
        var callback = interruption.callback
        var context: UnsafeMutablePointer<AVIOContext>?
        // What it says holds no address: only what it logs does.
        try check(
            avio_open2(&context, url, AVIO_FLAG_WRITE, &callback, &dictionary), "cannot connect", otherwise: .io)
        guard let context else { throw MediaError(.noMemory, "no memory for a connection") }
        self.context = context
    }

    deinit { avio_close(context) }

    /// Blocks until the bytes are with the system.
    ///
    /// - Returns: 0, or an errno.
    func write(_ bytes: UnsafeRawBufferPointer) -> Int32 {
        avio_write(context, bytes.bindMemory(to: UInt8.self).baseAddress, Int32(clamping: bytes.count))
        avio_flush(context)
        return context.pointee.error == 0 ? 0 : -context.pointee.error
    }
}
