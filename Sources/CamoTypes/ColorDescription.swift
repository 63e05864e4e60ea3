/// How the numbers of a picture are to be read as colours: the four values of ITU-T H.273.
///
/// Raw values are the code points of H.273 (2024), clauses 8.1 to 8.3, as they stand in an H.264 VUI.
public struct ColorDescription: Hashable, Sendable, Codable {
    /// MatrixCoefficients: 1 BT.709, 6 SMPTE 170M (BT.601), 2 unspecified.
    public var matrix: UInt8
    /// ColourPrimaries: 1 BT.709, 6 SMPTE 170M, 2 unspecified.
    public var primaries: UInt8
    /// TransferCharacteristics: 1 BT.709, 13 IEC 61966-2-1 (sRGB), 2 unspecified.
    public var transfer: UInt8
    /// True: luma uses 0…255; false: 16…235.
    public var isFullRange: Bool

    public init(matrix: UInt8, primaries: UInt8, transfer: UInt8, isFullRange: Bool) {
        self.matrix = matrix
        self.primaries = primaries
        self.transfer = transfer
        self.isFullRange = isFullRange
    }

    /// What converting sRGB BGRA with libyuv yields: BT.601 matrix, limited range, BT.709 primaries, sRGB transfer.
    public static let convertedBGRA = ColorDescription(matrix: 6, primaries: 1, transfer: 13, isFullRange: false)
    /// BT.709 in limited range: high-definition video of unknown origin.
    public static let bt709 = ColorDescription(matrix: 1, primaries: 1, transfer: 1, isFullRange: false)
    /// SMPTE 170M (BT.601, 525 lines) in limited range: standard-definition video of unknown origin.
    public static let bt601 = ColorDescription(matrix: 6, primaries: 6, transfer: 6, isFullRange: false)
}
