import CamoTypes

/// Puts fields together into frames: two that come one after the other, or one behind the other in a buffer.
///
/// A frame has the time of its last field. One that has lost a field shows the rows of the other twice: half as sharp
/// for a moment, which is less to see than a gap.
struct FieldAssembly {
    /// What a buffer has brought.
    struct Made {
        var frames: [VideoFrame] = []
        /// How many of them are of one field.
        var halves = 0
    }

    private let format: CaptureFormat
    private let pixels: PixelFormat
    private let layout: PlaneLayout
    private var pairing = FieldPairing()
    /// The frame whose first field is there.
    private var begun: (picture: WovenPicture, parity: FieldParity, time: MonotonicTime)?

    /// Nil where pictures come whole.
    init?(_ format: CaptureFormat) {
        switch format.fields {
        case .progressive, .woven, .single: return nil
        case .sequential, .alternating: break
        }
        guard let pixels = format.format.pixelFormat, let layout = format.layout else { return nil }
        (self.format, self.pixels, self.layout) = (format, pixels, layout)
    }

    /// - Returns: Nil when what is in the buffer is not whole.
    mutating func take(_ filled: CaptureBuffers.Filled, at time: MonotonicTime) -> Made? {
        guard let slices = layout.slices(of: filled.memories) else { return nil }
        if case .sequential(let first) = format.fields {
            let picture = WovenPicture(size: format.size, format: pixels)
            guard picture.take(slices, first), picture.take(slices, first.other, isSecond: true) else { return nil }
            return Made(frames: frame(picture, time))
        }
        // Looked at before it is paired: one that is cut short is no field.
        guard isWholeField(slices) else { return nil }
        let parity = FieldParity(filled.field)
        switch pairing.fieldReceived(parity, sequence: filled.sequence) {
        case .complete:
            guard let (picture, first, _) = begun.take(), picture.take(slices, first.other) else { return Made() }
            return Made(frames: frame(picture, time))
        case .begin:
            begin(slices, parity ?? .top, time)
            return Made()
        case .begunIsHalf:
            defer { begin(slices, parity ?? .top, time) }
            return finishHalf()
        case .unknown:
            begin(slices, .top, time)
            return finishHalf()
        }
    }

    private mutating func begin(
        _ slices: [(bytes: UnsafeRawBufferPointer, stride: Int)], _ parity: FieldParity, _ time: MonotonicTime
    ) {
        let picture = WovenPicture(size: format.size, format: pixels)
        begun = picture.take(slices, parity) ? (picture, parity, time) : nil
    }

    private mutating func finishHalf() -> Made {
        guard let (picture, parity, time) = begun.take() else { return Made() }
        picture.double(parity)
        let frames = frame(picture, time)
        return Made(frames: frames, halves: frames.count)
    }

    private func frame(_ picture: WovenPicture, _ time: MonotonicTime) -> [VideoFrame] {
        (try? picture.frame(at: time, color: format.color)).map { [$0] } ?? []
    }

    private func isWholeField(_ slices: [(bytes: UnsafeRawBufferPointer, stride: Int)]) -> Bool {
        slices.enumerated().allSatisfy { plane, slice in
            let rows = pixels.rows(plane: plane, height: format.size.height / 2)
            return slice.bytes.count
                >= slice.stride * (rows - 1) + pixels.rowBytes(plane: plane, width: format.size.width)
        }
    }
}
