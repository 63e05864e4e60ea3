import CamoTypes

/// Where the planes of a picture lie in the memories of a filled buffer.
struct PlaneLayout: Hashable, Sendable {
    struct Plane: Hashable, Sendable {
        /// Which of the buffer's memories.
        var memory: Int
        /// Bytes from the beginning of the picture in it.
        var offset: Int
        /// Bytes from one row to the next.
        var stride: Int
    }

    /// In the order of the pixel format.
    private(set) var planes: [Plane]

    /// Planes that share a memory follow one another. The driver states the stride of the first; NV12's chroma has
    /// the same, I420's half of it (the V4L2 manual, "Planar YUV formats").
    ///
    /// - Parameter strides: What the driver says of each memory; 0, where rows are not padded, in some drivers.
    /// - Returns: Nil when a row does not fit its stride, or there is no stride for a memory.
    init?(_ code: PixelCode, size: PixelSize, strides: [Int]) {
        guard let pixels = code.format.pixelFormat else { return nil }
        var inMemory: [Plane] = []
        var end = 0
        for plane in 0..<pixels.planeCount {
            let row = pixels.rowBytes(plane: plane, width: size.width)
            let memory = code.isSplit ? plane : 0
            guard strides.indices.contains(memory) else { return nil }
            var stride = strides[memory]
            if !code.isSplit, plane > 0, pixels == .i420 { stride = (stride + 1) / 2 }
            if stride == 0 { stride = row }
            guard stride >= row, stride <= 1 << 20 else { return nil }
            inMemory.append(Plane(memory: memory, offset: code.isSplit ? 0 : end, stride: stride))
            end += stride * pixels.rows(plane: plane, height: size.height)
        }
        if code.isCrFirst, inMemory.count == 3 { inMemory.swapAt(1, 2) }
        planes = inMemory
    }

    /// The planes in what a driver has filled; nil when they are not all there.
    ///
    /// - Parameter memories: What was written of each.
    func slices(of memories: [UnsafeRawBufferPointer]) -> [(bytes: UnsafeRawBufferPointer, stride: Int)]? {
        var slices: [(bytes: UnsafeRawBufferPointer, stride: Int)] = []
        for plane in planes {
            guard memories.indices.contains(plane.memory), plane.offset < memories[plane.memory].count else {
                return nil
            }
            slices.append((UnsafeRawBufferPointer(rebasing: memories[plane.memory][plane.offset...]), plane.stride))
        }
        return slices
    }
}
