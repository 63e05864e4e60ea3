internal import Confinement
internal import TransportCore

/// What lets pictures and sound through, or not: once it is shut, nothing passes that came before, either.
final class PauseGate: Sendable {
    private struct State {
        var isShut = false
        /// Of the last picture that came.
        var size: PixelSize?
        /// Counts how often it was shut: a repetition that was meant for an earlier time does nothing.
        var number = 0
    }

    private let state = Locked(State())

    var isShut: Bool { state.withLock { $0.isShut } }
    var size: PixelSize? { state.withLock { $0.size } }

    /// Does `pass`, unless it is shut, and not while it is being shut.
    func passPicture(_ size: PixelSize, _ pass: () -> Void) {
        state.withLock { state in
            guard !state.isShut else { return }
            state.size = size
            pass()
        }
    }

    /// The number of this time; nil: it was shut already.
    func shut() -> Int? {
        state.withLock { state in
            guard !state.isShut else { return nil }
            state.isShut = true
            state.number += 1
            return state.number
        }
    }

    /// False: it was open already.
    func open() -> Bool {
        state.withLock { state in
            defer { state.isShut = false }
            return state.isShut
        }
    }

    /// Does `pass` if it is shut since that time, and not while it is being opened.
    func passPlaceholder(_ number: Int, _ pass: () -> Void) -> Bool {
        state.withLock { state in
            guard state.isShut, state.number == number else { return false }
            pass()
            return true
        }
    }
}
