internal import CZBar
package import CamoTypes

/// Finds QR codes (ISO/IEC 18004) in pictures. The sole owner of zbar's scanner.
///
/// Not thread-safe.
package final class QRReader {
    private let scanner: OpaquePointer
    private var converter: FrameConverter?

    package init() throws(MediaError) {
        guard let scanner = zbar_image_scanner_create() else {
            throw MediaError(.noMemory, "no memory to look for QR codes")
        }
        self.scanner = scanner
        // Of all the kinds of codes that it knows, whose decoders would look at the picture too.
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_ENABLE, 0)
        zbar_image_scanner_set_config(scanner, ZBAR_QRCODE, ZBAR_CFG_ENABLE, 1)
        // Light on dark, as a terminal may show one.
        zbar_image_scanner_set_config(scanner, ZBAR_NONE, ZBAR_CFG_TEST_INVERTED, 1)
    }

    deinit { zbar_image_scanner_destroy(scanner) }

    /// The texts of all codes in a picture, each once, in no order. It may be turned, and seen at a slant.
    ///
    /// - Throws: ``MediaError`` for what is no picture: smaller than 2x2.
    package func texts(in frame: VideoFrame) throws(MediaError) -> Set<String> {
        let size = frame.size.evened
        let converter = self.converter.flatMap { $0.size == size ? $0 : nil } ?? FrameConverter(size: size)
        self.converter = converter
        return try texts(inLuma: Self.luma(of: try converter.convert(frame)), size)
    }

    private static func luma(of picture: VideoFrame) -> [UInt8] {
        picture.withPlanes { planes in
            guard let plane = planes.first else { return [] }
            var luma: [UInt8] = []
            luma.reserveCapacity(picture.size.area)
            for row in 0..<picture.size.height {
                luma += plane.bytes.dropFirst(row * plane.stride).prefix(picture.size.width)
            }
            return luma
        }
    }

    private func texts(inLuma luma: [UInt8], _ size: PixelSize) throws(MediaError) -> Set<String> {
        guard let image = zbar_image_create() else { throw MediaError(.noMemory, "no memory to look for QR codes") }
        defer { zbar_image_destroy(image) }
        return luma.withUnsafeBytes { bytes in
            // "Y800": luma alone.
            zbar_image_set_format(image, 0x3030_3859)
            zbar_image_set_size(image, UInt32(size.width), UInt32(size.height))
            // Without a function to free them they stay this array's.
            zbar_image_set_data(image, bytes.baseAddress, UInt(bytes.count), nil)
            var texts: Set<String> = []
            guard zbar_scan_image(scanner, image) > 0 else { return texts }
            var next = zbar_image_first_symbol(image)
            while let symbol = next {
                if let data = zbar_symbol_get_data(symbol) {
                    let text = UnsafeRawBufferPointer(start: data, count: Int(zbar_symbol_get_data_length(symbol)))
                    texts.insert(String(decoding: text, as: UTF8.self))
                }
                next = zbar_symbol_next(symbol)
            }
            return texts
        }
    }
}
