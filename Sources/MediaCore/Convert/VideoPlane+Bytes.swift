package import CamoTypes

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

extension VideoFrame {
    /// The same picture in memory of its own. Rows lose their padding.
    package func copied() throws(MediaError) -> VideoFrame {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(format.byteCount(size))
        withPlanes { planes in
            for (index, plane) in planes.enumerated() {
                for row in 0..<plane.rows {
                    bytes += plane.bytes.dropFirst(row * plane.stride)
                        .prefix(format.rowBytes(plane: index, width: size.width))
                }
            }
        }
        let copy = bytes.withUnsafeBytes { bytes in
            Result { () throws(VideoFrameError) in
                try VideoFrame(
                    copying: bytes, size: size, format: format, presentationTime: presentationTime, color: color)
            }
        }
        return try copy.mapError { MediaError(.internal, $0.description) }.get()
    }
}
