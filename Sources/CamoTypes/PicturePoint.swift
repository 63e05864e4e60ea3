/// A place in a picture, whatever its size: (0, 0) is the top left corner, (1, 1) the bottom right one.
public struct PicturePoint: Hashable, Sendable {
    /// 0 … 1, from left to right.
    public let x: Double
    /// 0 … 1, from top to bottom.
    public let y: Double

    /// Nil outside the picture, and for what is no number.
    public init?(x: Double, y: Double) {
        guard (0...1).contains(x), (0...1).contains(y) else { return nil }
        self.init(within: x, y)
    }

    private init(within x: Double, _ y: Double) { (self.x, self.y) = (x, y) }
}

extension PicturePoint {
    /// Where this point of a picture that was turned, and mirrored afterwards, lies in the picture as the camera took it.
    ///
    /// - Parameters:
    ///   - degrees: Clockwise: 0, 90, 180 or 270; anything else counts as 0.
    ///   - isMirrored: Left and right had changed places after the turn.
    package func beforeTurning(by degrees: Int, isMirrored: Bool) -> PicturePoint {
        let x = isMirrored ? 1 - x : x
        return switch degrees {
        case 90: PicturePoint(within: y, 1 - x)
        case 180: PicturePoint(within: 1 - x, 1 - y)
        case 270: PicturePoint(within: 1 - y, x)
        default: PicturePoint(within: x, y)
        }
    }
}

/// What a camera may judge by one point of the picture instead of all of it.
public enum PointOfInterest: String, CaseIterable, Hashable, Sendable {
    case exposure
    case focus
}
