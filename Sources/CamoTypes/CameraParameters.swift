/// How a camera sees: its focal lengths, for pictures of one size (the pinhole model).
///
/// A point that is `x` metres to the right of the picture's axis and `z` metres away lies `focalXPixels * x / z` pixels to
/// the right of it.
public struct CameraParameters: Hashable, Sendable {
    /// Of the pictures that the focal lengths are given for, in pixels.
    public var width: Int
    public var height: Int
    /// Focal length in pixels across the width, and along the height.
    public var focalXPixels: Double
    public var focalYPixels: Double

    public init(width: Int, height: Int, focalXPixels: Double, focalYPixels: Double) {
        self.width = width
        self.height = height
        self.focalXPixels = focalXPixels
        self.focalYPixels = focalYPixels
    }

    /// Focal lengths that make sense, in pixels: from less than any lens has up to that of a telescope.
    public static let focalRange = 0.001...10_000_000.0

    /// The size lies within 1x1 … ``PixelSize/maximum``, the focal lengths within ``focalRange``.
    public var isValid: Bool {
        PixelSize(width: width, height: height).isWithinLimits && Self.focalRange.contains(focalXPixels)
            && Self.focalRange.contains(focalYPixels)
    }

    /// The same camera in pictures of another size: a studio's are often smaller than those that were taken.
    public func scaled(to size: PixelSize) -> CameraParameters {
        CameraParameters(
            width: size.width, height: size.height,
            focalXPixels: focalXPixels * Double(size.width) / Double(max(1, width)),
            focalYPixels: focalYPixels * Double(size.height) / Double(max(1, height)))
    }

    /// The same camera in pictures that are turned by a quarter.
    package var turned: CameraParameters {
        CameraParameters(width: height, height: width, focalXPixels: focalYPixels, focalYPixels: focalXPixels)
    }
}
