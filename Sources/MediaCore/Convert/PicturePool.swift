internal import CamoTypes
internal import Confinement

/// Memory for pictures of one kind, used over and over: allocating 3 MB thirty times a second costs page faults.
///
/// Blocks come back when the last `VideoFrame` that shows them is gone, from any thread.
final class PicturePool: Sendable {
    /// More than this are freed instead of kept: one is being made while another is encoded or looked at.
    private static let kept = 2

    fileprivate struct Block: @unchecked Sendable {  // owned by whoever holds it: the pool or one buffer
        let base: UnsafeMutableRawPointer
        let byteCount: Int
    }

    private struct State: Sendable {
        var byteCount = 0
        var free: [Block] = []
    }

    private let state = Locked(State())

    deinit {
        for block in state.withLock({ $0.free }) { block.base.deallocate() }
    }

    /// A buffer for a picture; its contents are whatever was there before.
    func buffer(_ size: PixelSize, _ format: PixelFormat) -> PictureBuffer {
        let layout = PictureLayout(size, format)
        let (block, stale) = state.withLock { state -> (Block?, [Block]) in
            if state.byteCount == layout.byteCount { return (state.free.popLast(), []) }
            defer {
                state.byteCount = layout.byteCount
                state.free = []
            }
            return (nil, state.free)
        }
        for block in stale { block.base.deallocate() }
        return PictureBuffer(
            layout: layout, size: size, format: format,
            block: block
                ?? Block(
                    base: .allocate(byteCount: layout.byteCount, alignment: PictureLayout.alignment),
                    byteCount: layout.byteCount),
            pool: self)
    }

    fileprivate func take(back block: Block) {
        let isKept = state.withLock { state in
            guard state.byteCount == block.byteCount, state.free.count < Self.kept else { return false }
            state.free.append(block)
            return true
        }
        if !isKept { block.base.deallocate() }
    }
}

/// Where the planes of a picture lie in one block. Rows begin at multiples of 64 bytes, and there is room behind each
/// plane: libyuv and x264 work in whole vectors and may read past the end of a row.
struct PictureLayout {
    static let alignment = 64

    let planes: [(offset: Int, stride: Int)]
    let byteCount: Int

    init(_ size: PixelSize, _ format: PixelFormat) {
        var planes: [(Int, Int)] = []
        var offset = 0
        for plane in 0..<format.planeCount {
            let stride = Self.aligned(format.rowBytes(plane: plane, width: size.width))
            // JPEG decoding writes whole blocks of 16 rows.
            let rows = (format.rows(plane: plane, height: size.height) + 15) & ~15
            planes.append((offset, stride))
            offset += stride * rows + Self.alignment
        }
        self.planes = planes
        byteCount = offset
    }

    private static func aligned(_ count: Int) -> Int { (count + alignment - 1) & ~(alignment - 1) }
}

/// A picture being made. Its maker writes the planes, then shows it as a `VideoFrame` and writes no more.
///
/// Unchecked: the pointers never change; they are written through only before `frame(at:color:)` is called, by the
/// one that asked the pool for the buffer.
final class PictureBuffer: @unchecked Sendable {
    let size: PixelSize
    let format: PixelFormat
    let planes: [(base: UnsafeMutablePointer<UInt8>, stride: Int32)]
    private let block: PicturePool.Block
    private let pool: PicturePool

    fileprivate init(
        layout: PictureLayout, size: PixelSize, format: PixelFormat, block: PicturePool.Block, pool: PicturePool
    ) {
        self.size = size
        self.format = format
        self.block = block
        self.pool = pool
        planes = layout.planes.map {
            ((block.base + $0.offset).assumingMemoryBound(to: UInt8.self), Int32($0.stride))
        }
    }

    deinit { pool.take(back: block) }

    /// Shows the finished picture.
    func frame(at time: MonotonicTime?, color: ColorDescription) -> VideoFrame {
        let storage = VideoFrame.Storage(
            planes: planes.enumerated().map { index, plane in
                let rows = format.rows(plane: index, height: size.height)
                return (UnsafeRawPointer(plane.base), Int(plane.stride) * rows, Int(plane.stride))
            },
            release: { withExtendedLifetime(self) {} })
        return VideoFrame(storage: storage, size: size, format: format, presentationTime: time, color: color)
    }
}
