internal import Glibc

/// How far an MP4 file is whole: the length of the boxes at its beginning that are all there (ISO/IEC 14496-12, 4.2).
///
/// A file whose writer was killed, or whose disk lost power, ends anywhere. libavformat reads on to the end of the pictures
/// that are there, but opens no file that ends within a box which says what pictures follow (`moof`).
enum WholeBoxes {
    private static let headerLength: Int64 = 8
    private static let longHeaderLength: Int64 = 16

    /// - Returns: Nil where the last box is whole, too, or the file cannot be read.
    static func length(of path: String) -> Int64? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { return nil }
        let end = Int64(status.st_size)
        var place: Int64 = 0
        while place < end {
            guard let length = lengthOfBox(file, at: place), length <= end - place else { return place }
            place += length
        }
        return nil
    }

    /// Nil where its header is not whole, or makes no sense.
    private static func lengthOfBox(_ file: Int32, at place: Int64) -> Int64? {
        guard let short = number(file, at: place, UInt32.self) else { return nil }
        switch Int64(short) {
        case 1:
            // The length follows the type in 64 bits.
            guard let long = number(file, at: place + headerLength, UInt64.self).flatMap({ Int64(exactly: $0) }),
                long >= longHeaderLength
            else { return nil }
            return long
        case headerLength...: return Int64(short)
        // 0 is "up to the end", which a recorder never writes.
        default: return nil
        }
    }

    private static func number<Number: FixedWidthInteger>(_ file: Int32, at place: Int64, _: Number.Type) -> Number? {
        var number = Number.zero
        let size = MemoryLayout<Number>.size
        guard pread(file, &number, size, off_t(place)) == size else { return nil }
        return Number(bigEndian: number)
    }
}
