internal import CFFmpegShims

/// What went wrong with a picture, a sound or a file; the message says to what, and what to do.
package struct MediaError: Error, Hashable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable {
        /// Asked for something that the format, the encoder or this build cannot do.
        case unsupported
        /// Bytes that are not what they should be: a broken file, picture or packet.
        case badData
        /// The file is not there.
        case notFound
        /// The file may not be read or written by this user.
        case noPermission
        /// A file of that name exists and was to be kept.
        case exists
        /// The disk is full, or a limit on file size was reached.
        case noSpace
        /// Reading or writing failed for another reason.
        case io
        /// No memory.
        case noMemory
        /// The library failed in a way that has no better name here.
        case `internal`
    }

    package let code: Code
    package let description: String

    package init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }

    /// From a negative result of an FFmpeg function. `what` begins the sentence: "cannot open clip.mp4".
    init(ffmpeg result: Int32, _ what: String, otherwise code: Code = .internal) {
        self.code =
            switch result {
            case cff_error_no_memory(): .noMemory
            case cff_error_invalid_data(): .badData
            case cff_error(ENOENT), cff_error(ENOTDIR): .notFound
            case cff_error(EACCES), cff_error(EPERM), cff_error(EROFS): .noPermission
            case cff_error(EEXIST): .exists
            case cff_error(ENOSPC), cff_error(EFBIG), cff_error(EDQUOT): .noSpace
            case cff_error(EIO): .io
            default: code
            }
        description = "\(what): \(Self.text(ofFFmpeg: result))"
    }

    private static func text(ofFFmpeg result: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(AV_ERROR_MAX_STRING_SIZE)) { buffer in
            guard let base = buffer.baseAddress else { return "error \(result)" }
            base.initialize(repeating: 0, count: buffer.count)
            av_strerror(result, base, buffer.count)
            return String(cString: base)
        }
    }
}

/// Throws for a negative result of an FFmpeg function.
@discardableResult
func check(
    _ result: Int32, _ what: @autoclosure () -> String, otherwise code: MediaError.Code = .internal
) throws(MediaError) -> Int32 {
    guard result >= 0 else { throw MediaError(ffmpeg: result, what(), otherwise: code) }
    return result
}
