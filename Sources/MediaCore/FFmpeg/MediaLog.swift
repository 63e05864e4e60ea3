internal import CFFmpegShims
internal import Confinement
internal import Glibc

/// Where FFmpeg's own chatter goes: to a closure, for `-v`; never to standard error by itself.
///
/// FFmpeg has one log callback for the whole process, so this is global, too.
package enum MediaLog {
    private static let sink = Locked<(@Sendable (String) -> Void)?>(nil)

    /// Sends FFmpeg's lines to `body`, on whatever thread they arise; nil drops them, which is the default.
    package static func send(to body: (@Sendable (String) -> Void)?) {
        _ = isTaken
        sink.withLock { $0 = body }
    }

    private static let silent = Locked<Set<pthread_t>>([])

    /// Drops whatever FFmpeg says on this thread during `body`: it names addresses with the keys in them.
    static func silently<R, E: Error>(_ body: () throws(E) -> R) throws(E) -> R {
        let thread = pthread_self()
        let isOutermost = silent.withLock { $0.insert(thread).inserted }
        defer { if isOutermost { silent.withLock { _ = $0.remove(thread) } } }
        return try body()
    }

    /// True once FFmpeg's log is ours. Every owner of an FFmpeg object reads it before it makes one.
    static let isTaken: Bool = {
        av_log_set_callback(receiveLine)
        return true
    }()

    fileprivate static func received(_ line: String) {
        let body = sink.withLock { $0 }
        body?(line)
    }

    fileprivate static var isWanted: Bool {
        sink.withLock { $0 != nil } && !silent.withLock { $0.contains(pthread_self()) }
    }
}

/// Called by FFmpeg on any thread; `arguments` is valid during the call.
private func receiveLine(
    source: UnsafeMutableRawPointer?, level: Int32, format: UnsafePointer<CChar>?, arguments: CVaListPointer?
) {
    guard level <= AV_LOG_INFO, let arguments, MediaLog.isWanted else { return }
    let line = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1024) { buffer -> String in
        guard let base = buffer.baseAddress else { return "" }
        base.initialize(to: 0)
        var printsPrefix: Int32 = 1
        av_log_format_line2(source, level, format, arguments, base, 1024, &printsPrefix)
        return String(cString: base)
    }
    // One message may hold several lines, or end one that was begun before.
    for part in line.split(whereSeparator: { $0.isNewline }) { MediaLog.received(String(part)) }
}
