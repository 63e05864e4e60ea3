/// A filled buffer on its way to a consumer: the driver's own, or a copy of it where the driver runs short.
struct BufferLease {
    let memories: [UnsafeRawBufferPointer]
    /// To be called once, on any thread; nothing may read the memories afterwards.
    let release: @Sendable () -> Void

    init(of filled: CaptureBuffers.Filled, from buffers: CaptureBuffers, isCopy: Bool) {
        let index = filled.index
        guard isCopy else {
            memories = filled.memories
            release = { buffers.giveBack(index) }
            return
        }
        let memory = UnsafeMutableRawBufferPointer.allocate(
            byteCount: filled.memories.reduce(0) { $0 + $1.count }, alignment: 64)
        var end = 0
        memories = filled.memories.map { source in
            let target = UnsafeMutableRawBufferPointer(rebasing: memory[end..<end + source.count])
            target.copyMemory(from: source)
            end += source.count
            return UnsafeRawBufferPointer(target)
        }
        buffers.giveBack(index)
        nonisolated(unsafe) let owned = memory  // freed once, by the storage that alone calls `release`
        release = { owned.deallocate() }
    }
}
