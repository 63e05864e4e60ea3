import CamoTypes

/// What VIDIOC_G_FMT says about colour, and the H.273 code points for it.
///
/// The numbers are those of `enum v4l2_colorspace`, `v4l2_ycbcr_encoding`, `v4l2_quantization` and `v4l2_xfer_func`
/// (videodev2.h), the defaults those of its `V4L2_MAP_…_DEFAULT` macros.
struct V4L2Color: Equatable {
    var colorspace: UInt32
    var encoding: UInt32
    var quantization: UInt32
    var transfer: UInt32

    /// For pictures in Y'CbCr.
    var description: ColorDescription {
        ColorDescription(matrix: matrix, primaries: primaries, transfer: transferCode, isFullRange: isFullRange)
    }

    /// For pictures in R'G'B': converting them yields BT.601 in limited range, whatever the camera says of its range.
    var convertedRGB: ColorDescription {
        ColorDescription(
            matrix: ColorDescription.convertedBGRA.matrix, primaries: primaries, transfer: transferCode,
            isFullRange: false)
    }

    /// For luma without chroma: what such a camera sends is what its sensor counts, all of it, unless it says otherwise.
    var lumaAlone: ColorDescription {
        ColorDescription(matrix: matrix, primaries: primaries, transfer: transferCode, isFullRange: quantization != 2)
    }

    /// For JPEG: JFIF knows BT.601 in full range and nothing else (ITU-T T.871, 7). Cameras say sRGB with default
    /// quantization here, which would mean limited range.
    var jpeg: ColorDescription {
        ColorDescription(matrix: 6, primaries: primaries, transfer: transferCode, isFullRange: true)
    }

    /// 0 is "the driver does not know": neither SDTV nor HDTV, so sRGB.
    private var space: UInt32 { colorspace == 0 ? 8 : colorspace }

    /// H.273, table 2.
    private var primaries: UInt8 {
        switch space {
        case 1: 6  // SMPTE 170M
        case 2: 7  // SMPTE 240M
        case 3, 7, 8: 1  // Rec. 709, JPEG, sRGB
        case 5: 4  // System M
        case 6: 5  // System B, G
        case 10: 9  // BT.2020
        case 12: 11  // DCI-P3
        default: 2  // opRGB has no code point; raw and unknown
        }
    }

    /// H.273, table 3.
    private var transferCode: UInt8 {
        let function: UInt32 =
            switch (transfer, space) {
            case (1..., _): transfer
            case (_, 9): 3
            case (_, 2): 4
            case (_, 12): 6
            case (_, 11): 5
            case (_, 7), (_, 8): 2
            default: 1
            }
        return switch function {
        case 1: 1  // Rec. 709
        case 2: 13  // sRGB
        case 4: 7  // SMPTE 240M
        case 5: 8  // linear
        case 6: 17  // DCI-P3: SMPTE ST 428-1
        case 7: 16  // SMPTE ST 2084
        default: 2  // opRGB's gamma of 563/256 has no code point
        }
    }

    /// H.273, table 4.
    private var matrix: UInt8 {
        let code: UInt32 =
            switch (encoding, space) {
            case (1..., _): encoding
            case (_, 3), (_, 12): 2
            case (_, 10): 6
            case (_, 2): 8
            default: 1
            }
        return switch code {
        case 1, 3, 5: 6  // BT.601, xvYCC601, sYCC
        case 2, 4: 1  // Rec. 709, xvYCC709
        case 6: 9  // BT.2020, non-constant luminance
        case 7: 10  // BT.2020, constant luminance
        case 8: 7  // SMPTE 240M
        default: 2
        }
    }

    private var isFullRange: Bool {
        switch quantization {
        case 1: true
        case 2: false
        default: space == 7
        }
    }
}
