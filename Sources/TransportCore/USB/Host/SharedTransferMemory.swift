internal import CUSB
internal import Glibc
internal import WireProtocol

/// Buffers that the kernel shares with this program (usbfs, mmap(2)): what is in them goes to the device, or comes from it,
/// without being copied on the way.
enum SharedTransferMemory {
    /// Where a device's transfers are coherent with the processor's caches. Elsewhere such memory is not cached, and to
    /// read it costs more than a copy.
    #if arch(x86_64)
        private static let isCached = true
    #else
        private static let isCached = false
    #endif
    /// They count as lent for as long as they are there, used or not: no more than this part of what all programs share.
    private static let partOfBudget = 8

    /// Nil where memory of this program's own serves better, or the kernel has none of this kind.
    ///
    /// They may be used for as long as the result lives, also when the device has been closed: that frees none of them,
    /// and libusb_dev_mem_free() is munmap(2).
    ///
    /// - Parameters:
    ///   - handle: The device, open.
    ///   - count: How many, of `USBChunk.transferByteCount` each.
    static func buffers(_ handle: OpaquePointer, count: Int) -> SlotBuffers? {
        guard isCached, isAffordable(count) else { return nil }
        var buffers: [UnsafeMutableRawBufferPointer] = []
        for _ in 0..<count {
            guard let memory = libusb_dev_mem_alloc(handle, USBChunk.transferByteCount) else {
                for buffer in buffers { free(buffer) }
                return nil
            }
            buffers.append(UnsafeMutableRawBufferPointer(start: memory, count: USBChunk.transferByteCount))
        }
        return SlotBuffers(adopting: buffers, free: free)
    }

    /// - Parameters:
    ///   - count: How many buffers.
    ///   - parameter: The kernel's file that says what it lends to all programs, for tests.
    static func isAffordable(_ count: Int, parameter: String = USBMemory.parameter) -> Bool {
        guard let megabytes = USBMemory.megabytes(parameter) else { return true }
        return count * USBChunk.transferByteCount <= (megabytes << 20) / partOfBudget
    }

    private static func free(_ buffer: UnsafeMutableRawBufferPointer) { munmap(buffer.baseAddress, buffer.count) }
}
