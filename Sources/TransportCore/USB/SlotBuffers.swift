internal import WireProtocol

/// The one owner of the buffers of a pipe's slots, `USBChunk.transferByteCount` bytes each, on pages of their own.
///
/// Unchecked: the memory is constant; what stands in a buffer belongs to whoever owns its slot.
final class SlotBuffers: @unchecked Sendable {
    private let memory: UnsafeMutableRawBufferPointer

    init(count: Int) {
        memory = .allocate(byteCount: count * USBChunk.transferByteCount, alignment: 4_096)
        // So that no page is missing when the kernel copies into it, and nothing of this program's is ever sent.
        memory.initializeMemory(as: UInt8.self, repeating: 0)
    }

    deinit { memory.deallocate() }

    /// - Parameter slot: 0 ..< the number of them.
    subscript(slot: Int) -> UnsafeMutableRawBufferPointer {
        let start = slot * USBChunk.transferByteCount
        return UnsafeMutableRawBufferPointer(rebasing: memory[start..<start + USBChunk.transferByteCount])
    }

    /// Whose buffer begins there.
    func slot(at start: UnsafeRawPointer?) -> Int? {
        guard let start, let base = memory.baseAddress else { return nil }
        return (start - UnsafeRawPointer(base)) / USBChunk.transferByteCount
    }
}
