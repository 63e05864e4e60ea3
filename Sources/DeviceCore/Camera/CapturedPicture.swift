import CamoTypes

/// What a camera hands over.
package enum CapturedPicture: Sendable {
    case frame(VideoFrame)
    case compressed(CompressedFrame)
}

/// One picture that the camera has coded, as it made it: a JPEG, or an access unit of H.264. It may be cut short or
/// nothing of the kind.
///
/// Copying the value copies a reference. The bytes are borrowed from the driver like those of a frame, and go back when
/// the last copy is gone: decode soon, on any thread.
package struct CompressedFrame: Sendable {
    /// `.mjpeg` or `.h264`.
    package let format: CameraFormat
    /// As the camera states it; the picture's own header decides.
    package let size: PixelSize
    /// As the camera states it.
    package let framesPerSecond: Double
    /// Pictures between the last one and this are missing.
    package let isAfterLoss: Bool
    package let color: ColorDescription
    package let presentationTime: MonotonicTime
    private let storage: VideoFrame.Storage

    package init(
        borrowing bytes: UnsafeRawBufferPointer, format: CameraFormat, size: PixelSize, framesPerSecond: Double = 30,
        isAfterLoss: Bool = false, color: ColorDescription, presentationTime: MonotonicTime,
        release: @escaping @Sendable () -> Void
    ) {
        (self.format, self.size, self.framesPerSecond) = (format, size, framesPerSecond)
        self.isAfterLoss = isAfterLoss
        self.color = color
        self.presentationTime = presentationTime
        storage = VideoFrame.Storage(
            planes: bytes.baseAddress.map { [($0, bytes.count, 0)] } ?? [], release: release)
    }

    /// Lends the bytes; the pointer is valid only inside `body`.
    package func withBytes<R, E: Error>(_ body: (UnsafeRawBufferPointer) throws(E) -> R) throws(E) -> R {
        defer { withExtendedLifetime(storage) {} }
        let plane = storage.planes.first
        return try body(UnsafeRawBufferPointer(start: plane?.base, count: plane?.count ?? 0))
    }
}

/// What a camera tells while it captures.
package enum VideoCaptureEvent: Sendable {
    /// The signal at its input is another one. Pictures go on, in this format.
    case changed(CaptureFormat)
    /// Capture has ended by itself and the device is closed. Nothing follows.
    case lost(DeviceError)
}

/// What has become of the pictures of one capture.
package struct VideoCaptureStatistics: Hashable, Sendable {
    /// Handed over, copies included.
    package var delivered = 0
    /// Handed over as copies, because consumers held too many of the driver's buffers.
    package var copied = 0
    /// Thrown away: the driver marked them as damaged (V4L2_BUF_FLAG_ERROR).
    package var damaged = 0
    /// Thrown away: nothing in them.
    package var empty = 0
    /// Thrown away: fewer bytes than the picture has.
    package var short = 0
    /// Handed over with one field alone, each of its rows twice: the other was lost.
    package var halved = 0
    /// Pictures that the driver itself skipped, by its sequence numbers.
    package var missed = 0
    /// Stamps of the driver that could not be true; the time of arrival was taken.
    package var doubtfulStamps = 0
}
