import Glibc

/// Small texts that the system keeps: error messages, attribute files, the names in a folder.
enum SystemText {
    /// strerror(3), without its static buffer.
    static func message(_ code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let start = buffer.baseAddress else { return "error \(code)" }
            buffer.initialize(repeating: 0)
            // The XSI variant: fills the buffer, returns a code.
            return strerror_r(code, start, buffer.count) == 0 ? String(cString: start) : "error \(code)"
        }
    }

    /// The names in a folder but `.` and `..`, unsorted; none when it cannot be read.
    static func entries(of folder: String) -> [String] {
        guard let handle = opendir(folder) else { return [] }
        defer { closedir(handle) }
        var names: [String] = []
        while let entry = readdir(handle) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { names.append(name) }
        }
        return names
    }

    /// The content of a small file (sysfs, procfs) without the white space around it; nil when it cannot be read.
    static func content(of path: String, limit: Int = 4096) -> String? {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        let text = withUnsafeTemporaryAllocation(byteCount: limit, alignment: 1) { buffer -> String? in
            let count = read(file, buffer.baseAddress, buffer.count)
            guard count >= 0 else { return nil }
            return String(decoding: UnsafeRawBufferPointer(rebasing: buffer[..<count]), as: UTF8.self)
        }
        return text.map(Self.trimmed)
    }

    /// Where a symbolic link points, as it is written; nil when it is none.
    static func target(ofLink path: String) -> String? {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 4096) { buffer -> String? in
            guard let start = buffer.baseAddress else { return nil }
            let count = readlink(path, start, buffer.count)
            guard count > 0 else { return nil }
            return String(decoding: buffer[..<count].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    /// The real path of a file, links followed; nil when there is none.
    static func resolved(_ path: String) -> String? {
        guard let real = realpath(path, nil) else { return nil }
        defer { free(real) }
        return String(cString: real)
    }

    /// A fixed array of C characters or bytes, which ends at its first zero or at its end. What a device calls itself
    /// is not to be trusted: control characters and what is no UTF-8 are replaced.
    static func name<T>(_ array: T) -> String {
        withUnsafeBytes(of: array) { bytes in
            let text = String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            let cleaned = String(String.UnicodeScalarView(text.unicodeScalars.map { isPlain($0) ? $0 : "?" }))
            return trimmed(cleaned)
        }
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned: false
        default: true
        }
    }

    private static func trimmed(_ text: String) -> String {
        let isBlank: (Character) -> Bool = { $0.isWhitespace || $0 == "\0" }
        let tail = text.drop(while: isBlank)
        guard let last = tail.lastIndex(where: { !isBlank($0) }) else { return "" }
        return String(tail[...last])
    }
}
