import StudioKit

/// Keys while a recording is played. A value: bytes of a terminal in, what they mean out.
struct PlaybackKeys: Sendable {
    enum Action: Equatable, Sendable {
        /// Pause, or go on.
        case toggle
        case move(Microseconds)
    }

    static let step = Microseconds.seconds(Int64(10))

    /// An arrow is ESC, `[` or `O`, and a letter (ECMA-48, 8.3; xterm's cursor keys).
    private var escape: [UInt8] = []

    mutating func read(_ byte: UInt8) -> Action? {
        switch (escape.count, byte) {
        case (_, 0x1B): escape = [byte]
        case (1, UInt8(ascii: "[")), (1, UInt8(ascii: "O")): escape.append(byte)
        case (2, _):
            escape = []
            if byte == UInt8(ascii: "C") { return .move(Self.step) }
            if byte == UInt8(ascii: "D") { return .move(Microseconds(-Self.step.count)) }
        default:
            escape = []
            if byte == UInt8(ascii: " ") { return .toggle }
        }
        return nil
    }
}

extension PlaybackKeys.Action {
    func perform(on controller: StudioController) async throws {
        guard let playback = controller.playback, let position = controller.playbackPosition else { return }
        switch self {
        case .toggle where playback.phase == .paused: try await controller.resumePlayback()
        case .toggle: try await controller.pausePlayback()
        case .move(let step):
            let place = max(0, min(position.count + step.count, playback.duration.count))
            try await controller.seek(to: Microseconds(place))
        }
    }
}
