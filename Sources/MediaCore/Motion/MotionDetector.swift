internal import CYUV
package import CamoTypes

/// Finds what moves: a small luma picture beside the mean of those before it, in cells that are joined to regions.
///
/// Light that changes everywhere at once, and a picture that is another one altogether, are not motion: the mean begins
/// anew. Not thread-safe.
package final class MotionDetector {
    /// The small picture, whatever the large one's shape.
    private static let size = PixelSize(width: 160, height: 96)
    /// In pixels of the small picture; 40 x 24 of them.
    private static let cell = 4
    private static let columns = size.width / cell
    private static let rows = size.height / cell
    /// More often is no use.
    package static let interval = Microseconds.milliseconds(100)
    /// Of the pixels that changed, so many are another picture.
    private static let mostChanged = 0.6
    /// Pictures that the mean needs before it means anything.
    private static let learning = 5

    /// How much a pixel's luma must differ.
    private let threshold: Int
    /// Which cells count.
    private let mask: [Bool]
    private var small = [UInt8](repeating: 0, count: size.area)
    /// Luma times 16, so that a slow change is not lost to rounding.
    private var mean: [Int] = []
    private var learned = 0
    private var source: PixelSize?
    private var last: MonotonicTime?

    package init(_ settings: MotionDetection) {
        threshold =
            switch settings.sensitivity {
            case .low: 40
            case .medium: 24
            case .high: 12
            }
        mask = (0..<Self.columns * Self.rows).map { index in
            let (row, column) = index.quotientAndRemainder(dividingBy: Self.columns)
            return settings.counts(
                x: (Double(column) + 0.5) / Double(Self.columns), y: (Double(row) + 0.5) / Double(Self.rows))
        }
    }

    /// - Parameters:
    ///   - picture: With a luma plane: I420 or NV12, limited range.
    ///   - time: Of the picture; earlier ones and those that come too soon are passed over.
    /// - Returns: Where something moves, the largest first; nil where it was not looked at.
    package func look(at picture: VideoFrame, time: MonotonicTime) -> [PictureRegion]? {
        guard picture.format == .i420 || picture.format == .nv12 else { return nil }
        if let last, time - last < Self.interval, time >= last { return nil }
        last = time
        if picture.size != source {
            source = picture.size
            forget()
        }
        shrink(picture)
        guard learned > 0 else {
            mean = small.map { Int($0) * 16 }
            learned = 1
            return []
        }
        let changed = changes()
        let count = changed.count { $0 }
        guard Double(count) < Self.mostChanged * Double(changed.count) else {
            forget()
            return []
        }
        learn()
        learned += 1
        return learned > Self.learning ? regions(of: changed) : []
    }

    /// What comes next has nothing in common with what came.
    package func forget() { learned = 0 }

    private func shrink(_ picture: VideoFrame) {
        let size = Self.size
        picture.withPlanes { planes in
            small.withUnsafeMutableBufferPointer { target in
                ScalePlane(
                    planes[0].bytes.bindMemory(to: UInt8.self).baseAddress, Int32(planes[0].stride),
                    Int32(picture.size.width), Int32(picture.size.height), target.baseAddress, Int32(size.width),
                    Int32(size.width), Int32(size.height), kFilterBox)
            }
        }
    }

    /// Pixels that differ from the mean by more than the light as a whole does.
    private func changes() -> [Bool] {
        var total = 0
        for index in small.indices { total += Int(small[index]) * 16 - mean[index] }
        let light = total / small.count
        let least = threshold * 16
        return small.indices.map { abs(Int(small[$0]) * 16 - mean[$0] - light) > least }
    }

    /// An eighth of what is new, ten times a second: something that stays is part of the scene after a few seconds.
    private func learn() { for index in small.indices { mean[index] += (Int(small[index]) * 16 - mean[index]) / 8 } }

    /// Cells of which a quarter has changed, joined where they touch; one cell alone is noise.
    private func regions(of changed: [Bool]) -> [PictureRegion] {
        let (columns, rows, cell) = (Self.columns, Self.rows, Self.cell)
        var isActive = [Bool](repeating: false, count: columns * rows)
        for index in isActive.indices where mask[index] {
            let (row, column) = index.quotientAndRemainder(dividingBy: columns)
            var count = 0
            for y in row * cell..<(row + 1) * cell {
                for x in column * cell..<(column + 1) * cell where changed[y * Self.size.width + x] { count += 1 }
            }
            isActive[index] = count * 4 >= cell * cell
        }
        var found: [(cells: Int, region: PictureRegion)] = []
        for index in isActive.indices where isActive[index] {
            let (cells, left, top, right, bottom) = Self.take(index, of: &isActive)
            guard cells > 1 else { continue }
            found.append(
                (
                    cells,
                    PictureRegion(
                        x: Double(left) / Double(columns), y: Double(top) / Double(rows),
                        width: Double(right + 1 - left) / Double(columns),
                        height: Double(bottom + 1 - top) / Double(rows))
                ))
        }
        return found.sorted { $0.cells > $1.cells }.prefix(DetectedMotion.mostRegions).map(\.region)
    }

    /// Takes away all cells that are joined with one, corners too; how many, and where they lie.
    private static func take(
        _ first: Int, of isActive: inout [Bool]
    ) -> (cells: Int, left: Int, top: Int, right: Int, bottom: Int) {
        var (left, top, right, bottom) = (columns, rows, 0, 0)
        var waiting = [first]
        var cells = 0
        isActive[first] = false
        while let index = waiting.popLast() {
            cells += 1
            let (row, column) = index.quotientAndRemainder(dividingBy: columns)
            (left, right) = (min(left, column), max(right, column))
            (top, bottom) = (min(top, row), max(bottom, row))
            for y in max(0, row - 1)...min(rows - 1, row + 1) {
                for x in max(0, column - 1)...min(columns - 1, column + 1) where isActive[y * columns + x] {
                    isActive[y * columns + x] = false
                    waiting.append(y * columns + x)
                }
            }
        }
        return (cells, left, top, right, bottom)
    }
}
