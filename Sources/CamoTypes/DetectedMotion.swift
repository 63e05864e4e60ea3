/// A rectangle of a picture as it is sent: (0, 0) is its top left corner, (1, 1) its bottom right one.
public struct PictureRegion: Hashable, Sendable, CustomStringConvertible {
    public var x: Double
    public var y: Double
    public var width: Double
    public var height: Double

    public init(x: Double, y: Double, width: Double, height: Double) {
        (self.x, self.y, self.width, self.height) = (x, y, width, height)
    }

    /// All of it lies in the picture, and it is not empty.
    public var isValid: Bool {
        let numbers = [x, y, width, height]
        return numbers.allSatisfy { $0.isFinite && (0...1).contains($0) } && width > 0 && height > 0
            && x + width <= 1 + 1e-6 && y + height <= 1 + 1e-6
    }

    /// `10%,20% 30%x40%`
    public var description: String {
        let percent = [x, y, width, height].map { "\(Int(($0 * 100).rounded()))%" }
        return "\(percent[0]),\(percent[1]) \(percent[2])x\(percent[3])"
    }

    func contains(x: Double, y: Double) -> Bool {
        x >= self.x && x < self.x + width && y >= self.y && y < self.y + height
    }
}

/// What moves in a picture.
public struct DetectedMotion: Hashable, Sendable {
    /// The picture's presentation time: on the producer's clock at the producer, as in `VideoFrameInfo` at the studio.
    public var time: MonotonicTime
    /// Where something moves, the largest first, 16 at most; none: nothing moves any more.
    public var regions: [PictureRegion]

    public static let mostRegions = 16

    public init(time: MonotonicTime, regions: [PictureRegion]) {
        (self.time, self.regions) = (time, regions)
    }
}

/// How motion is looked for.
public struct MotionDetection: Hashable, Sendable {
    public enum Sensitivity: String, CaseIterable, Hashable, Sendable {
        case low
        case medium
        case high
    }

    public var sensitivity: Sensitivity
    /// Where it counts, in the picture as it is sent; none: everywhere.
    public var zones: [PictureRegion]

    public init(sensitivity: Sensitivity = .medium, zones: [PictureRegion] = []) {
        (self.sensitivity, self.zones) = (sensitivity, zones)
    }

    /// Whether what moves at this place of the picture counts.
    package func counts(x: Double, y: Double) -> Bool {
        zones.isEmpty || zones.contains { $0.contains(x: x, y: y) }
    }
}
