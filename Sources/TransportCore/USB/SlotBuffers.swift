internal import WireProtocol

/// The one owner of the buffers of a pipe's slots, `USBChunk.transferByteCount` bytes each, on pages of their own.
///
/// Unchecked: the memory is constant; what stands in a buffer belongs to whoever owns its slot.
final class SlotBuffers: @unchecked Sendable {
    private let buffers: [UnsafeMutableRawBufferPointer]
    private let free: (UnsafeMutableRawBufferPointer) -> Void

    init(count: Int) {
        buffers = (0..<count).map { _ in
            let buffer = UnsafeMutableRawBufferPointer.allocate(
                byteCount: USBChunk.transferByteCount, alignment: 4_096)
            // So that no page is missing when the kernel copies into it, and nothing of this program's is ever sent.
            buffer.initializeMemory(as: UInt8.self, repeating: 0)
            return buffer
        }
        free = { $0.deallocate() }
    }

    /// - Parameters:
    ///   - buffers: From now on this object's.
    ///   - free: Gives one of them back.
    init(adopting buffers: [UnsafeMutableRawBufferPointer], free: @escaping (UnsafeMutableRawBufferPointer) -> Void) {
        self.buffers = buffers
        self.free = free
    }

    deinit { for buffer in buffers { free(buffer) } }

    /// - Parameter slot: 0 ..< the number of them.
    subscript(slot: Int) -> UnsafeMutableRawBufferPointer { buffers[slot] }

    /// Whose buffer begins there.
    func slot(at start: UnsafeRawPointer?) -> Int? { buffers.firstIndex { UnsafeRawPointer($0.baseAddress) == start } }
}
