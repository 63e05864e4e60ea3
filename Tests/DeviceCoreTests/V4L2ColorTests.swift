import CamoTypes
import Testing

@testable import DeviceCore

/// The numbers of videodev2.h as those of H.273.
@Suite struct V4L2ColorTests {
    @Test(
        "Colours of a Y'CbCr picture",
        arguments: [
            // What the camera says: colorspace, encoding, quantization, transfer -> matrix, primaries, transfer, full.
            ([0, 0, 0, 0], [6, 1, 13, 0]),  // nothing: sRGB, as webcams are
            ([8, 0, 0, 0], [6, 1, 13, 0]),
            ([8, 2, 0, 1], [1, 1, 1, 0]),  // sRGB primaries with all else of Rec. 709
            ([8, 0, 1, 0], [6, 1, 13, 1]),  // full range said
            ([7, 0, 0, 0], [6, 1, 13, 1]),  // JPEG: full by definition
            ([7, 0, 2, 0], [6, 1, 13, 0]),
            ([1, 0, 0, 0], [6, 6, 1, 0]),  // SMPTE 170M
            ([3, 0, 0, 0], [1, 1, 1, 0]),  // Rec. 709
            ([2, 0, 0, 0], [7, 7, 7, 0]),  // SMPTE 240M
            ([5, 0, 0, 0], [6, 4, 1, 0]),
            ([6, 0, 0, 0], [6, 5, 1, 0]),
            ([10, 0, 0, 7], [9, 9, 16, 0]),  // BT.2020 with PQ
            ([10, 7, 0, 0], [10, 9, 1, 0]),
            ([12, 0, 0, 0], [1, 11, 17, 0]),  // DCI-P3
            ([9, 0, 0, 0], [6, 2, 2, 0]),  // opRGB has no code points
            ([99, 99, 99, 99], [2, 2, 2, 0]),
        ])
    func table(_ said: [UInt32], _ expected: [UInt8]) {
        let color = V4L2Color(colorspace: said[0], encoding: said[1], quantization: said[2], transfer: said[3])
        #expect(
            color.description
                == ColorDescription(
                    matrix: expected[0], primaries: expected[1], transfer: expected[2], isFullRange: expected[3] == 1))
    }

    @Test("BGRA is tagged as what converting it yields, a JPEG as JFIF has it")
    func otherFormats() {
        let color = V4L2Color(colorspace: 8, encoding: 0, quantization: 1, transfer: 0)
        #expect(color.convertedRGB == .convertedBGRA)
        #expect(color.jpeg == ColorDescription(matrix: 6, primaries: 1, transfer: 13, isFullRange: true))
    }
}
