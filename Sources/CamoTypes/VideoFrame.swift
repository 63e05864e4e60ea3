/// How the bytes of a ``VideoFrame`` are laid out.
public enum PixelFormat: String, CaseIterable, Sendable, Codable {
    /// One plane, 4 bytes a pixel: blue, green, red, alpha (ignored).
    case bgra
    /// Two planes, 4:2:0: luma, then Cb and Cr interleaved.
    case nv12
    /// Three planes, 4:2:0: luma, Cb, Cr.
    case i420
    /// One plane, 4:2:2: Y0 Cb Y1 Cr for every two pixels.
    case yuyv
    /// One plane, 4:2:2: Cb Y0 Cr Y1 for every two pixels.
    case uyvy
    /// Two planes, 4:2:0: luma, then Cr and Cb interleaved.
    case nv21
    /// One plane, 3 bytes a pixel: red, green, blue.
    case rgb24
    /// One plane, 3 bytes a pixel: blue, green, red.
    case bgr24
    /// One plane, 1 byte a pixel: luma alone, colours are neutral.
    case gray

    /// Number of planes: 1 to 3.
    public var planeCount: Int {
        switch self {
        case .bgra, .yuyv, .uyvy, .rgb24, .bgr24, .gray: 1
        case .nv12, .nv21: 2
        case .i420: 3
        }
    }

    /// Red, green and blue instead of luma and chroma: converting it decides the matrix and the range.
    package var isRGB: Bool {
        switch self {
        case .bgra, .rgb24, .bgr24: true
        case .nv12, .nv21, .i420, .yuyv, .uyvy, .gray: false
        }
    }

    /// Bytes of one row of `plane` without padding, for a picture `width` pixels wide. Odd widths round chroma up.
    public func rowBytes(plane: Int, width: Int) -> Int {
        switch (self, plane) {
        case (.bgra, _): width * 4
        case (.yuyv, _), (.uyvy, _): (width + 1) / 2 * 4
        case (.rgb24, _), (.bgr24, _): width * 3
        case (_, 0): width
        case (.nv12, _), (.nv21, _): (width + 1) / 2 * 2
        case (.i420, _), (.gray, _): (width + 1) / 2
        }
    }

    /// Rows of `plane` for a picture `height` pixels high. Odd heights round chroma up.
    public func rows(plane: Int, height: Int) -> Int {
        plane == 0 ? height : (height + 1) / 2
    }

    /// Bytes of a picture of `size` without any padding: what a raw stream carries for each picture.
    public func byteCount(_ size: PixelSize) -> Int {
        (0..<planeCount).reduce(0) {
            $0 + rowBytes(plane: $1, width: size.width) * rows(plane: $1, height: size.height)
        }
    }
}

/// What is wrong with a picture that a program handed over.
public struct VideoFrameError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
    public init(_ description: String) { self.description = description }
}

/// One plane of a picture: a base address that is valid only inside the closure that lends it.
public struct VideoPlane {
    public let bytes: UnsafeRawBufferPointer
    /// Bytes from one row to the next; at least the row's own length.
    public let stride: Int
    public let rows: Int

    public init(bytes: UnsafeRawBufferPointer, stride: Int, rows: Int) {
        self.bytes = bytes
        self.stride = stride
        self.rows = rows
    }
}

/// One uncompressed picture with its time. Copying the value copies a reference, never the pixels.
///
/// The pixels are either owned (``init(copying:stride:size:format:presentationTime:color:)``) or borrowed with a
/// release closure that is called exactly once, on any thread, when the last copy of the value is gone.
public struct VideoFrame: Sendable {
    public let size: PixelSize
    public let format: PixelFormat
    public let color: ColorDescription
    /// On the clock of this machine; nil means "when it was handed over".
    public var presentationTime: MonotonicTime?
    /// How the camera saw it; nil: not known.
    public var cameraParameters: CameraParameters?
    package let storage: Storage

    /// The memory behind a frame. Unchecked: the pointers never change, nobody writes through them after `init`, and
    /// the release closure runs once, in `deinit`.
    package final class Storage: @unchecked Sendable {
        package let planes: [(base: UnsafeRawPointer, count: Int, stride: Int)]
        private let release: @Sendable () -> Void

        package init(
            planes: [(base: UnsafeRawPointer, count: Int, stride: Int)], release: @escaping @Sendable () -> Void
        ) {
            self.planes = planes
            self.release = release
        }
        deinit { release() }
    }

    package init(
        storage: Storage, size: PixelSize, format: PixelFormat, presentationTime: MonotonicTime?,
        color: ColorDescription
    ) {
        self.storage = storage
        self.size = size
        self.format = format
        self.presentationTime = presentationTime
        self.color = color
    }

    /// Borrows memory that the caller keeps valid and unchanged until `release` is called.
    ///
    /// - Parameters:
    ///   - planes: One entry for each plane of `format`: address, and bytes from one row to the next.
    ///   - size: Of the picture, without padding.
    ///   - format: How the bytes are laid out.
    ///   - presentationTime: On the clock of this machine; nil means "when it was handed over".
    ///   - color: How the numbers are to be read as colours.
    ///   - release: Called once, on any thread, when the frame is no longer needed.
    /// - Throws: ``VideoFrameError`` when the size is out of range, a stride is shorter than a row, or a buffer is
    ///   shorter than its rows; `release` is called before it throws.
    public init(
        borrowing planes: [(bytes: UnsafeRawBufferPointer, stride: Int)], size: PixelSize, format: PixelFormat,
        presentationTime: MonotonicTime? = nil, color: ColorDescription = .convertedBGRA,
        release: @escaping @Sendable () -> Void
    ) throws(VideoFrameError) {
        do throws(VideoFrameError) {
            try Self.check(planes.map { ($0.bytes.count, $0.stride) }, size: size, format: format)
        } catch {
            release()
            throw error
        }
        self.init(
            storage: Storage(
                // `check` has refused empty planes, so each has a base address.
                planes: planes.compactMap { p in p.bytes.baseAddress.map { ($0, p.bytes.count, p.stride) } },
                release: release),
            size: size, format: format, presentationTime: presentationTime, color: color)
    }

    /// Copies a picture whose planes follow one another in `bytes`.
    ///
    /// - Parameters:
    ///   - bytes: The planes one after the other.
    ///   - stride: Bytes from one row of the first plane to the next; nil when rows are not padded. For I420 the
    ///     chroma stride is half of it (rounded up), for NV12 and NV21 the same.
    ///   - size: Of the picture, without padding.
    ///   - format: How the bytes are laid out.
    ///   - presentationTime: On the clock of this machine; nil means "when it was handed over".
    ///   - color: How the numbers are to be read as colours.
    /// - Throws: ``VideoFrameError`` as above.
    public init(
        copying bytes: UnsafeRawBufferPointer, stride: Int? = nil, size: PixelSize, format: PixelFormat,
        presentationTime: MonotonicTime? = nil, color: ColorDescription = .convertedBGRA
    ) throws(VideoFrameError) {
        guard size.isWithinLimits else { throw Self.sizeError(size) }
        var layout: [(offset: Int, count: Int, stride: Int)] = []
        var offset = 0
        for plane in 0..<format.planeCount {
            let row = format.rowBytes(plane: plane, width: size.width)
            let rows = format.rows(plane: plane, height: size.height)
            let stride =
                switch (stride, plane, format) {
                case (nil, _, _): row
                case (let stride?, 0, _), (let stride?, _, .nv12), (let stride?, _, .nv21): stride
                case (let stride?, _, _): (stride + 1) / 2
                }
            guard stride >= row, stride <= 1 << 20 else {
                throw VideoFrameError(
                    "a stride of \(stride) bytes does not fit a row of \(row) bytes (\(size), \(format.rawValue))")
            }
            // The last row needs no padding behind it.
            let count = plane == format.planeCount - 1 ? stride * (rows - 1) + row : stride * rows
            layout.append((offset, count, stride))
            offset += count
        }
        guard bytes.count >= offset, let source = bytes.baseAddress else {
            throw VideoFrameError(
                "a \(size) \(format.rawValue) picture needs \(offset) bytes, but \(bytes.count) were given")
        }
        let memory = UnsafeMutableRawPointer.allocate(byteCount: offset, alignment: 64)
        memory.copyMemory(from: source, byteCount: offset)
        nonisolated(unsafe) let owned = memory  // freed once, by the storage that alone knows it
        self.init(
            storage: Storage(planes: layout.map { (UnsafeRawPointer(memory + $0.offset), $0.count, $0.stride) }) {
                owned.deallocate()
            },
            size: size, format: format, presentationTime: presentationTime, color: color)
    }

    /// Lends the planes; the pointers are valid only inside `body`.
    public func withPlanes<R, E: Error>(_ body: ([VideoPlane]) throws(E) -> R) throws(E) -> R {
        let planes = storage.planes.enumerated().map { index, plane in
            VideoPlane(
                bytes: UnsafeRawBufferPointer(start: plane.base, count: plane.count), stride: plane.stride,
                rows: format.rows(plane: index, height: size.height))
        }
        defer { withExtendedLifetime(storage) {} }
        return try body(planes)
    }

    private static func sizeError(_ size: PixelSize) -> VideoFrameError {
        VideoFrameError("a picture of \(size) is outside 1x1 … \(PixelSize.maximum)")
    }

    private static func check(
        _ planes: [(count: Int, stride: Int)], size: PixelSize, format: PixelFormat
    ) throws(VideoFrameError) {
        guard size.isWithinLimits else { throw sizeError(size) }
        guard planes.count == format.planeCount else {
            throw VideoFrameError(
                "\(format.rawValue) has \(format.planeCount) planes, but \(planes.count) were given")
        }
        for (index, plane) in planes.enumerated() {
            let row = format.rowBytes(plane: index, width: size.width)
            let rows = format.rows(plane: index, height: size.height)
            guard plane.stride >= row, plane.stride <= 1 << 20 else {
                throw VideoFrameError(
                    "plane \(index): a stride of \(plane.stride) bytes does not fit a row of \(row) bytes")
            }
            guard plane.count >= plane.stride * (rows - 1) + row else {
                throw VideoFrameError(
                    "plane \(index): \(rows) rows need \(plane.stride * (rows - 1) + row) bytes, "
                        + "but \(plane.count) were given")
            }
        }
    }
}
