import CamoTypes
import Testing

@testable import MediaCore

@Suite struct ConvertTests {
    private func decoded(_ frames: [VideoFrame], settings: EncodeStage.Settings) throws -> [VideoFrame] {
        let stage = EncodeStage(settings)
        let decoder = try H264Decoder()
        return try frames.enumerated().compactMap { number, frame in
            let output = try stage.encode(frame, at: MonotonicTime(microseconds: Int64(number) * 33_333))
            guard case .picture(let picture) = decoder.decode(output.unit) else { return nil }
            return picture
        }
    }

    private func packed(_ frame: VideoFrame, _ format: RawPictureFormat, _ size: PixelSize) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0xEE, count: format.byteCount(size))
        let packer = PicturePacker(size: size, format: format)
        try bytes.withUnsafeMutableBytes { try packer.pack(frame, into: $0) }
        return bytes
    }

    /// Odd sides lose their last column or row; nothing is squeezed, so every edge stays where it is.
    @Test(arguments: [
        PixelSize(width: 1366, height: 768), PixelSize(width: 1365, height: 767), PixelSize(width: 853, height: 480),
    ])
    func unusualSizesArriveWithTheirEdges(size: PixelSize) throws {
        let even = size.evened
        // White lines in the last two columns and rows that survive, black elsewhere.
        let frame = try Pictures.bgra(size) { x, y in
            x >= even.width - 2 || y >= even.height - 2 ? (255, 255, 255) : (0, 0, 0)
        }
        let pictures = try decoded(
            [frame, frame], settings: .init(definition: .super, bitsPerSecond: 8_000_000, preset: "ultrafast"))
        let picture = try #require(pictures.last)
        #expect(picture.size == even)
        #expect(picture.sample(plane: 0, x: even.width - 1, y: 10) > 215)
        #expect(picture.sample(plane: 0, x: even.width - 2, y: 10) > 215)
        #expect(picture.sample(plane: 0, x: even.width - 5, y: 10) < 40)
        #expect(picture.sample(plane: 0, x: 10, y: even.height - 1) > 215)
        #expect(picture.sample(plane: 0, x: 10, y: even.height - 2) > 215)
        #expect(picture.sample(plane: 0, x: 10, y: even.height - 5) < 40)
    }

    @Test(arguments: [4, 64, 68])
    func paddingIsNeverSeen(padding: Int) throws {
        let size = PixelSize(width: 158, height: 90)
        let rule = { (x: Int, y: Int) -> (red: UInt8, green: UInt8, blue: UInt8) in
            (UInt8(x), UInt8(y), UInt8((x * y) & 255))
        }
        let converter = FrameConverter(size: size)
        let plain = try converter.convert(Pictures.bgra(size, rule))
        let padded = try converter.convert(Pictures.bgra(size, padding: padding, rule))
        #expect(try packed(plain, .i420, size) == packed(padded, .i420, size))
    }

    @Test func blackWhiteAndGreyComeBackAsTheyWere() throws {
        let size = PixelSize(width: 320, height: 192)
        for grey: UInt8 in [0, 64, 128, 192, 255] {
            let frame = try Pictures.flat(size, grey)
            let pictures = try decoded([frame, frame], settings: .init(definition: .economy, bitsPerSecond: 2_000_000))
            let picture = try #require(pictures.last)
            #expect(!picture.color.isFullRange)
            let bytes = try packed(picture, .bgra, size)
            for pixel in stride(from: 0, to: bytes.count, by: 4 * 977) {
                for channel in 0..<3 {
                    #expect(abs(Int(bytes[pixel + channel]) - Int(grey)) <= 2, "grey \(grey)")
                }
                #expect(bytes[pixel + 3] == 255)
            }
        }
    }

    /// A picture in each format, by the samples that an I420 picture has, comes back as that I420 picture.
    @Test func everyFormatGivesTheSamePicture() throws {
        let size = PixelSize(width: 64, height: 48)
        let i420 = try FrameConverter(size: size).convert(
            Pictures.bgra(size) { x, y in (UInt8(x * 4), UInt8(y * 5), 90) })
        let reference = try packed(i420, .i420, size)
        let luma = reference.prefix(size.area)

        func sample(_ plane: Int, _ x: Int, _ y: Int) -> UInt8 { UInt8(i420.sample(plane: plane, x: x, y: y)) }
        func chroma(_ body: (Int, Int) -> [UInt8]) -> [UInt8] {
            (0..<size.height / 2).flatMap { y in (0..<size.width / 2).flatMap { x in body(x, y) } }
        }
        // 4:2:2 has chroma on every row: each of 4:2:0's is repeated.
        func pairs(_ body: (_ x: Int, _ y: Int, _ cb: UInt8, _ cr: UInt8) -> [UInt8]) -> [UInt8] {
            (0..<size.height).flatMap { y in
                (0..<size.width / 2).flatMap { x in body(2 * x, y, sample(1, x, y / 2), sample(2, x, y / 2)) }
            }
        }
        let pictures: [PixelFormat: [UInt8]] = [
            .nv12: luma + chroma { x, y in [sample(1, x, y), sample(2, x, y)] },
            .nv21: luma + chroma { x, y in [sample(2, x, y), sample(1, x, y)] },
            .yuyv: pairs { x, y, cb, cr in [sample(0, x, y), cb, sample(0, x + 1, y), cr] },
            .uyvy: pairs { x, y, cb, cr in [cb, sample(0, x, y), cr, sample(0, x + 1, y)] },
        ]
        for (format, bytes) in pictures {
            #expect(bytes.count == format.byteCount(size))
            let picture = try converted(bytes, format, size)
            #expect(try packed(picture, .i420, size) == reference, "\(format)")
        }
    }

    private func converted(
        _ bytes: [UInt8], _ format: PixelFormat, _ size: PixelSize, color: ColorDescription = .bt601
    ) throws -> VideoFrame {
        try bytes.withUnsafeBytes {
            try FrameConverter(size: size).convert(VideoFrame(copying: $0, size: size, format: format, color: color))
        }
    }

    @Test func threeBytesAPixelAreReadAsFourAre() throws {
        let size = PixelSize(width: 62, height: 48)
        let pixel = { (x: Int, y: Int) -> (red: UInt8, green: UInt8, blue: UInt8) in (UInt8(x * 4), UInt8(y * 5), 90) }
        let reference = try packed(FrameConverter(size: size).convert(Pictures.bgra(size, pixel)), .i420, size)
        let pixels = (0..<size.area).map { pixel($0 % size.width, $0 / size.width) }
        for (format, bytes) in [
            (PixelFormat.rgb24, pixels.flatMap { [$0.red, $0.green, $0.blue] }),
            (PixelFormat.bgr24, pixels.flatMap { [$0.blue, $0.green, $0.red] }),
        ] {
            let picture = try converted(bytes, format, size, color: .bt709)
            #expect(try packed(picture, .i420, size) == reference, "\(format)")
            #expect(picture.color == .convertedBGRA)
        }
    }

    @Test func aGrayPictureHasNeutralChroma() throws {
        let size = PixelSize(width: 32, height: 16)
        let bytes = (0..<size.area).map { UInt8(truncatingIfNeeded: $0) }
        let limited = try converted(bytes, .gray, size)
        #expect(limited.luma == bytes)
        let full = try converted(
            bytes, .gray, size, color: ColorDescription(matrix: 6, primaries: 1, transfer: 13, isFullRange: true))
        #expect(full.sample(plane: 0, x: 0, y: 0) == 16 && full.sample(plane: 0, x: 31, y: 15) == 235)
        for picture in [limited, full] {
            #expect(picture.format == .i420 && !picture.color.isFullRange)
            #expect((1...2).allSatisfy { picture.sample(plane: $0, x: 15, y: 7) == 128 })
        }
        // What is written in grey is full range: black and white are 0 and 255.
        let four = PixelSize(width: 2, height: 2)
        #expect(try packed(converted([16, 235, 16, 235], .gray, four), .gray, four) == [0, 255, 0, 255])
    }

    @Test func limitedI420OfTheRightSizeIsNotCopied() throws {
        let size = PixelSize(width: 64, height: 48)
        let frame = try Pictures.noise(size, seed: 3)
        let converted = try FrameConverter(size: size).convert(frame)
        #expect(converted.storage === frame.storage)
    }

    @Test func fullRangeIsBroughtToLimited() throws {
        let size = PixelSize(width: 64, height: 16)
        var bytes = [UInt8](repeating: 128, count: PixelFormat.i420.byteCount(size))
        for x in 0..<64 * 16 { bytes[x] = x % 64 < 32 ? 0 : 255 }
        bytes[64 * 16] = 0
        bytes[64 * 16 + 1] = 255
        let full = ColorDescription(matrix: 6, primaries: 1, transfer: 13, isFullRange: true)
        let frame = try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420, color: full) }
        let limited = try FrameConverter(size: size).convert(frame)
        #expect(!limited.color.isFullRange)
        #expect(limited.sample(plane: 0, x: 0, y: 0) == 16)
        #expect(limited.sample(plane: 0, x: 40, y: 15) == 235)
        #expect(limited.sample(plane: 1, x: 0, y: 0) == 16)
        #expect(limited.sample(plane: 1, x: 1, y: 0) == 240)
        #expect(limited.sample(plane: 1, x: 2, y: 0) == 128)
    }

    /// The left half is white: where is it afterwards?
    @Test(arguments: FrameConverter.Rotation.allCases, [false, true])
    func pixelsAreTurnedAndMirrored(rotation: FrameConverter.Rotation, isMirrored: Bool) throws {
        let size = PixelSize(width: 96, height: 48)
        let frame = try Pictures.bgra(size) { x, y in x < 48 && y < 24 ? (255, 255, 255) : (0, 0, 0) }
        let output = FrameConverter.outputSize(for: size, rotation: rotation, within: Definition.high.box)
        let picture = try FrameConverter(size: output, rotation: rotation, isMirrored: isMirrored).convert(frame)
        #expect(picture.size == output)
        // The white quarter was top left; clockwise it goes to the right.
        var (isRight, isBottom) =
            switch rotation {
            case .none: (false, false)
            case .quarter: (true, false)
            case .half: (true, true)
            case .threeQuarters: (false, true)
            }
        if isMirrored { isRight.toggle() }
        for (x, y) in [(false, false), (true, false), (false, true), (true, true)] {
            let sample = picture.sample(
                plane: 0, x: output.width / 4 + (x ? output.width / 2 : 0),
                y: output.height / 4 + (y ? output.height / 2 : 0))
            #expect(sample == ((x, y) == (isRight, isBottom) ? 235 : 16))
        }
    }

    @Test func aLowerDefinitionIsScaledFromTheHigherOnesPicture() throws {
        let size = PixelSize(width: 1280, height: 720)
        let frame = try Pictures.bgra(size) { x, _ in x < 640 ? (255, 255, 255) : (0, 0, 0) }
        let high = try FrameConverter(size: size).convert(frame)
        let low = try FrameConverter(size: PixelSize(width: 640, height: 360)).convert(high)
        #expect(low.size == PixelSize(width: 640, height: 360))
        #expect(low.sample(plane: 0, x: 318, y: 359) == 235)
        #expect(low.sample(plane: 0, x: 322, y: 0) == 16)
    }

    @Test func aPictureOfAnotherSizeIsLetterboxed() throws {
        let white = try Pictures.flat(PixelSize(width: 320, height: 180), 255)
        let box = PixelSize(width: 320, height: 240)
        for format in RawPictureFormat.allCases {
            let bytes = try packed(white, format, box)
            let pixel = format == .bgra ? 4 : format == .yuyv ? 2 : 1
            let black: UInt8 = format == .bgra || format == .gray ? 0 : 16
            #expect(bytes[0] == black, "\(format)")
            #expect(bytes[(box.area - 1) * pixel] == black, "\(format)")
            // Black has no colour.
            if format == .yuyv { #expect(bytes[1] == 128 && bytes[bytes.count - 1] == 128) }
            #expect(bytes[(120 * 320 + 160) * pixel] > 230, "\(format)")
            #expect(bytes[(30 * 320 + 10) * pixel] > 230, "\(format)")
            #expect(bytes[(29 * 320 + 10) * pixel] == black, "\(format)")
        }
        // A smaller picture is enlarged: it fills the box in one direction.
        let small = try packed(Pictures.flat(PixelSize(width: 32, height: 18), 255), .gray, box)
        #expect(small[120 * 320] == 255)
    }

    @Test func piecesAreTheFramesOwnPlanesWhereTheyFit() throws {
        let size = PixelSize(width: 64, height: 48)
        let frame = try Pictures.noise(size, seed: 5)
        let packer = PicturePacker(size: size, format: .i420)
        let joined = try packer.withPieces(of: frame) { pieces in
            #expect(pieces.count == 3)
            frame.withPlanes { #expect($0[0].bytes.baseAddress == pieces[0].baseAddress) }
            return pieces.flatMap { Array($0) }
        }
        #expect(joined == (try packed(frame, .i420, size)))
        try PicturePacker(size: size, format: .nv12).withPieces(of: frame) { #expect($0.count == 1) }
    }
}
