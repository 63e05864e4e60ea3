import Glibc
import MediaCore
import StudioKit

/// What `--stdout` writes.
enum StandardOutput {
    static func make(_ format: RawOutput, hasSound: Bool, _ run: CommandRun) -> any EndableOutput {
        let onEnd: @Sendable (OutputEnd) -> Void = { end in
            switch end {
            case .finished: break
            case .readerGone: run.end(.readerGone)
            case .failed(let error): run.end(.failed(error))
            }
        }
        return switch format {
        case .i420: RawPictureOutput(descriptor: STDOUT_FILENO, format: .i420, onEnd: onEnd)
        case .nv12: RawPictureOutput(descriptor: STDOUT_FILENO, format: .nv12, onEnd: onEnd)
        case .bgra: RawPictureOutput(descriptor: STDOUT_FILENO, format: .bgra, onEnd: onEnd)
        case .gray: RawPictureOutput(descriptor: STDOUT_FILENO, format: .gray, onEnd: onEnd)
        case .h264: UnitStreamOutput(descriptor: STDOUT_FILENO, onEnd: onEnd)
        case .mpegts: TransportStreamOutput(descriptor: STDOUT_FILENO, hasSound: hasSound, onEnd: onEnd)
        }
    }
}
