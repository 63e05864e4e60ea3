internal import CamoTypes

/// A plane in the shape that libyuv wants it.
struct SourcePlane {
    let base: UnsafePointer<UInt8>
    let stride: Int32
}

extension VideoFrame {
    /// Lends the planes as bytes. A frame's planes were checked when it was made: they are not empty, and strides fit
    /// 32 bits.
    func withSourcePlanes<R, E: Error>(_ body: ([SourcePlane]) throws(E) -> R) throws(E) -> R {
        try withPlanes { (planes: [VideoPlane]) throws(E) -> R in
            try body(
                planes.compactMap { plane in
                    plane.bytes.baseAddress.map {
                        SourcePlane(base: $0.assumingMemoryBound(to: UInt8.self), stride: Int32(plane.stride))
                    }
                })
        }
    }

    /// The same pixels with another size that lies within this one; nothing is copied.
    func cropped(to size: PixelSize) -> VideoFrame {
        guard size != self.size, size.width <= self.size.width, size.height <= self.size.height else { return self }
        return VideoFrame(
            storage: storage, size: size, format: format, presentationTime: presentationTime, color: color)
    }
}
