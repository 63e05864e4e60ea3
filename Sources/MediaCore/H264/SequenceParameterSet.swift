package import CamoTypes

/// What a sequence parameter set says about the pictures that follow (ITU-T H.264, 7.3.2.1.1 and E.1.1).
package struct SequenceParameterSet: Hashable, Sendable {
    package var id: UInt32
    /// After cropping.
    package var size: PixelSize
    package var color: ColorDescription
    /// Nil where it is not told.
    package var framesPerSecond: Double?
    /// 1 is 4:2:0, the only one that is handled.
    package var chromaFormat: UInt32
    /// 8 is the only one that is handled.
    package var bitDepth: UInt32

    /// - Parameter unit: The NAL unit, header byte first. Nil for anything broken, and for pictures outside
    ///   1x1 … ``PixelSize/maximum``.
    package init?(_ unit: ArraySlice<UInt8>) {
        guard AnnexB.type(of: unit) == AnnexB.UnitType.sequenceParameterSet else { return nil }
        var bits = BitReader(AnnexB.payload(of: unit))
        guard let profile = bits.bits(8), bits.bits(16) != nil, let id = bits.unsigned() else { return nil }
        self.id = id
        chromaFormat = 1
        bitDepth = 8
        if Self.profilesWithChroma.contains(profile) {
            guard let chroma = bits.unsigned(), chroma <= 3 else { return nil }
            chromaFormat = chroma
            if chroma == 3 { guard bits.bit() != nil else { return nil } }
            guard let luma = bits.unsigned(), luma <= 6, bits.unsigned() != nil, bits.bit() != nil,
                Self.skipScalingMatrix(&bits, chromaFormat: chroma)
            else { return nil }
            bitDepth = luma + 8
        }
        guard bits.unsigned() != nil, Self.skipPictureOrder(&bits), bits.unsigned() != nil, bits.bit() != nil,
            let size = Self.size(&bits, chromaFormat: chromaFormat), let hasVUI = bits.bit()
        else { return nil }
        self.size = size
        color = ColorDescription(matrix: 2, primaries: 2, transfer: 2, isFullRange: false)
        // Whatever is broken in there does not make the picture another one.
        if hasVUI { readVUI(&bits) }
    }

    /// 7.3.2.1.1: the profiles whose parameter sets carry chroma_format_idc.
    private static let profilesWithChroma: Set<UInt32> = [100, 110, 122, 244, 44, 83, 86, 118, 128, 138, 139, 134, 135]

    private static func skipScalingMatrix(_ bits: inout BitReader, chromaFormat: UInt32) -> Bool {
        guard let isPresent = bits.bit() else { return false }
        guard isPresent else { return true }
        for list in 0..<(chromaFormat == 3 ? 12 : 8) {
            guard let hasList = bits.bit() else { return false }
            guard hasList else { continue }
            var (last, next): (Int32, Int32) = (8, 8)
            for _ in 0..<(list < 6 ? 16 : 64) {
                if next != 0 {
                    guard let delta = bits.signed(), (-128...127).contains(delta) else { return false }
                    next = (last + delta + 256) % 256
                }
                last = next == 0 ? last : next
            }
        }
        return true
    }

    private static func skipPictureOrder(_ bits: inout BitReader) -> Bool {
        guard let type = bits.unsigned() else { return false }
        switch type {
        case 0: return bits.unsigned() != nil
        case 1:
            guard bits.bit() != nil, bits.signed() != nil, bits.signed() != nil, let count = bits.unsigned(),
                count <= 255
            else { return false }
            for _ in 0..<count where bits.signed() == nil { return false }
            return true
        default: return type == 2
        }
    }

    private static func size(_ bits: inout BitReader, chromaFormat: UInt32) -> PixelSize? {
        guard let width = bits.unsigned(), let height = bits.unsigned(), width < 1024, height < 1024,
            let isFrame = bits.bit()
        else { return nil }
        if !isFrame { guard bits.bit() != nil else { return nil } }
        guard bits.bit() != nil, let isCropped = bits.bit() else { return nil }
        var size = PixelSize(width: Int(width + 1) * 16, height: Int(height + 1) * 16 * (isFrame ? 1 : 2))
        if isCropped {
            var edges: [Int] = []
            for _ in 0..<4 {
                guard let edge = bits.unsigned(), edge < 16384 else { return nil }
                edges.append(Int(edge))
            }
            // Equations 7-19 to 7-22: CropUnitX, CropUnitY.
            let unit = (
                x: chromaFormat == 1 || chromaFormat == 2 ? 2 : 1,
                y: (chromaFormat == 1 ? 2 : 1) * (isFrame ? 1 : 2)
            )
            size.width -= (edges[0] + edges[1]) * unit.x
            size.height -= (edges[2] + edges[3]) * unit.y
        }
        return size.isWithinLimits ? size : nil
    }

    private mutating func readVUI(_ bits: inout BitReader) {
        guard let hasAspect = bits.bit() else { return }
        if hasAspect {
            guard let aspect = bits.bits(8) else { return }
            if aspect == 255 { guard bits.bits(32) != nil else { return } }
        }
        guard let hasOverscan = bits.bit() else { return }
        if hasOverscan { guard bits.bit() != nil else { return } }
        guard let hasSignalType = bits.bit() else { return }
        if hasSignalType {
            guard bits.bits(3) != nil, let isFullRange = bits.bit(), let hasColor = bits.bit() else { return }
            color.isFullRange = isFullRange
            if hasColor {
                guard let primaries = bits.bits(8), let transfer = bits.bits(8), let matrix = bits.bits(8) else {
                    return
                }
                color.primaries = UInt8(primaries)
                color.transfer = UInt8(transfer)
                color.matrix = UInt8(matrix)
            }
        }
        guard let hasChromaPlace = bits.bit() else { return }
        if hasChromaPlace { guard bits.unsigned() != nil, bits.unsigned() != nil else { return } }
        guard let hasTiming = bits.bit(), hasTiming, let tick = bits.bits(32), let scale = bits.bits(32), tick > 0
        else { return }
        // Two ticks are a frame: time_scale counts fields (E.2.1).
        let rate = Double(scale) / Double(tick) / 2
        if (1...1000).contains(rate) { framesPerSecond = rate }
    }
}
