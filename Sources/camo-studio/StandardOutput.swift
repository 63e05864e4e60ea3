import CommandCore
import Glibc
import MediaCore
import StudioKit

/// What `--stdout` writes.
struct StandardOutput: Sendable {
    private enum Kind: Sendable {
        case raw(RawPictureOutput)
        case units(UnitStreamOutput)
        case transport(TransportStreamOutput)
    }

    private let kind: Kind

    init(_ format: RawOutput, hasSound: Bool, _ run: CommandRun) {
        let onEnd: @Sendable (OutputEnd) -> Void = { end in
            switch end {
            case .finished: break
            case .readerGone: run.end(.readerGone)
            case .failed(let error): run.end(.failed(error))
            }
        }
        kind =
            switch format {
            case .i420: .raw(RawPictureOutput(descriptor: STDOUT_FILENO, format: .i420, onEnd: onEnd))
            case .nv12: .raw(RawPictureOutput(descriptor: STDOUT_FILENO, format: .nv12, onEnd: onEnd))
            case .bgra: .raw(RawPictureOutput(descriptor: STDOUT_FILENO, format: .bgra, onEnd: onEnd))
            case .gray: .raw(RawPictureOutput(descriptor: STDOUT_FILENO, format: .gray, onEnd: onEnd))
            case .h264: .units(UnitStreamOutput(descriptor: STDOUT_FILENO, onEnd: onEnd))
            case .mpegts:
                .transport(TransportStreamOutput(descriptor: STDOUT_FILENO, hasSound: hasSound, onEnd: onEnd))
            }
    }

    var output: any StudioOutput {
        switch kind {
        case .raw(let output): output
        case .units(let output): output
        case .transport(let output): output
        }
    }

    func finish(within limit: Microseconds) async {
        switch kind {
        case .raw(let output): await output.finish(within: limit)
        case .units(let output): await output.finish(within: limit)
        case .transport(let output): await output.finish(within: limit)
        }
    }
}
