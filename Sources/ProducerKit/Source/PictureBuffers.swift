internal import Confinement

/// Page-aligned buffers of one size that go round: a frame borrows one and gives it back when nobody needs it any more.
final class PictureBuffers: Sendable {
    private let byteCount: Int
    private let free: Locked<Free>

    /// Unchecked: the pointers are handed to one owner at a time, under the lock.
    private struct Free: @unchecked Sendable {
        var buffers: [UnsafeMutableRawPointer] = []
    }

    /// More than these are given back to the system: a slow consumer was at work.
    private static let most = 4
    private static let pageSize = 4096

    init(byteCount: Int) {
        self.byteCount = byteCount
        free = Locked(Free())
    }

    deinit { for buffer in free.withLock({ $0 }).buffers { buffer.deallocate() } }

    /// A buffer that is nobody else's.
    func take() -> UnsafeMutableRawBufferPointer {
        let known = free.withLock { $0.buffers.isEmpty ? Free() : Free(buffers: [$0.buffers.removeLast()]) }
        let base =
            known.buffers.first
            // Libraries read a little beyond what they need.
            ?? UnsafeMutableRawPointer.allocate(byteCount: byteCount + 64, alignment: Self.pageSize)
        return UnsafeMutableRawBufferPointer(start: base, count: byteCount)
    }

    func giveBack(_ buffer: UnsafeMutableRawBufferPointer) {
        guard let base = buffer.baseAddress else { return }
        let given = Free(buffers: [base])
        let surplus = free.withLock { free in
            guard free.buffers.count < Self.most else { return given }
            free.buffers += given.buffers
            return Free()
        }
        for buffer in surplus.buffers { buffer.deallocate() }
    }
}
