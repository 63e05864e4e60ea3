internal import Confinement
internal import Dispatch

/// Page-aligned buffers of one size that go round: a frame borrows one and gives it back when nobody needs it any more.
///
/// Two are enough: one is filled while the other waits or is converted. At 1080p each is 8 MB.
final class PictureBuffers: Sendable {
    private let byteCount: Int
    private let state: Locked<State>
    /// How many of ``most`` are not lent.
    private let permits = DispatchSemaphore(value: PictureBuffers.most)

    /// Unchecked: the pointers are handed to one owner at a time, under the lock.
    private struct State: @unchecked Sendable {
        var free: [UnsafeMutableRawPointer] = []
        /// Lent beyond ``most``; as many are given back to the system.
        var surplus = 0
    }

    private static let most = 2
    /// Converting takes a few milliseconds. A borrower that keeps a picture for longer gets memory for it.
    private static let patience = DispatchTimeInterval.milliseconds(20)
    private static let pageSize = 4096

    init(byteCount: Int) {
        self.byteCount = byteCount
        state = Locked(State())
    }

    deinit { for buffer in state.withLock({ $0 }).free { buffer.deallocate() } }

    /// A buffer that is nobody else's; waits a moment where all are lent.
    func take() -> UnsafeMutableRawBufferPointer {
        let isLate = permits.wait(timeout: .now() + Self.patience) == .timedOut
        let known = state.withLock { state -> State in
            if isLate { state.surplus += 1 }
            return State(free: state.free.isEmpty ? [] : [state.free.removeLast()])
        }
        let base =
            known.free.first
            // Libraries read a little beyond what they need.
            ?? UnsafeMutableRawPointer.allocate(byteCount: byteCount + 64, alignment: Self.pageSize)
        return UnsafeMutableRawBufferPointer(start: base, count: byteCount)
    }

    func giveBack(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let base = buffer.baseAddress else { return }
        let given = State(free: [base])
        let isSurplus = state.withLock { state in
            if state.surplus > 0 {
                state.surplus -= 1
                return true
            }
            state.free += given.free
            return false
        }
        if isSurplus { base.deallocate() } else { permits.signal() }
    }
}
