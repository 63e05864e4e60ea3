import CamoTypes

/// Reading what a peer wrote: everything is checked against a range or a limit, and cleaned where people see it.
extension KeyedDecodingContainer {
    func integer<T: FixedWidthInteger & Decodable>(
        _ key: Key, in range: ClosedRange<T> = T.min...T.max
    ) throws -> T {
        try checked(decode(T.self, forKey: key), in: range, key)
    }

    func integerIfPresent<T: FixedWidthInteger & Decodable>(
        _ key: Key, in range: ClosedRange<T> = T.min...T.max
    ) throws -> T? {
        try decodeIfPresent(T.self, forKey: key).map { try checked($0, in: range, key) }
    }

    func number(_ key: Key, in range: ClosedRange<Double>) throws -> Double {
        try checked(decode(Double.self, forKey: key), in: range, key)
    }

    func numberIfPresent(_ key: Key, in range: ClosedRange<Double>) throws -> Double? {
        try decodeIfPresent(Double.self, forKey: key).map { try checked($0, in: range, key) }
    }

    func flag(_ key: Key, default value: Bool) throws -> Bool {
        try decodeIfPresent(Bool.self, forKey: key) ?? value
    }

    /// A label for people, cleaned.
    func name(_ key: Key, fallback: String) throws -> String {
        try DeviceName(decodeIfPresent(String.self, forKey: key) ?? "", fallback: fallback).text
    }

    /// A sentence for people, cleaned and cut; nil when nothing is left of it.
    func sentenceIfPresent(_ key: Key) throws -> String? {
        try decodeIfPresent(String.self, forKey: key).flatMap {
            TextLine.cleaned($0, maximumByteCount: Limits.textByteCount)
        }
    }

    /// A text that is compared or sent back, and so has to be clean already.
    func identifier(_ key: Key) throws -> String {
        let text = try decode(String.self, forKey: key)
        guard TextLine.cleaned(text, maximumByteCount: Limits.textByteCount) == text else {
            throw invalid(key, "is not 1 to \(Limits.textByteCount) bytes of clean text")
        }
        return text
    }

    func identifierIfPresent(_ key: Key) throws -> String? {
        try contains(key) && !decodeNil(forKey: key) ? identifier(key) : nil
    }

    /// A word from an open set: what is not known stays as it is.
    func word<T: RawRepresentable<String>>(_ key: Key, as type: T.Type) throws -> T {
        guard let word = T(rawValue: try identifier(key)) else { throw invalid(key, "is not a known word") }
        return word
    }

    func wordIfPresent<T: RawRepresentable<String>>(_ key: Key, as type: T.Type) throws -> T? {
        try contains(key) && !decodeNil(forKey: key) ? word(key, as: type) : nil
    }

    /// A list of words; those that are not known are skipped, so that lists may grow.
    func knownWords<T: RawRepresentable<String>>(_ key: Key, as type: T.Type, limit: Int) throws -> [T]? {
        try listIfPresent(key, of: String.self, limit: limit)?.compactMap(T.init(rawValue:))
    }

    func list<T: Decodable>(_ key: Key, of type: T.Type, limit: Int) throws -> [T] {
        try checked(decode([T].self, forKey: key), limit: limit, key)
    }

    func listIfPresent<T: Decodable>(_ key: Key, of type: T.Type, limit: Int) throws -> [T]? {
        try decodeIfPresent([T].self, forKey: key).map { try checked($0, limit: limit, key) }
    }

    /// Counts by name; an open set.
    func countsIfPresent(_ key: Key, limit: Int) throws -> [String: Int64]? {
        guard let counts = try decodeIfPresent([String: Int64].self, forKey: key) else { return nil }
        guard counts.count <= limit, counts.values.allSatisfy(Limits.counts.contains),
            counts.keys.allSatisfy({ TextLine.cleaned($0, maximumByteCount: Limits.textByteCount) == $0 })
        else { throw invalid(key, "is not a table of at most \(limit) counts") }
        return counts
    }

    /// Exactly `byteCount` bytes as hexadecimal digits.
    func hexadecimal(_ key: Key, byteCount: Int) throws -> [UInt8] {
        guard let bytes = Hexadecimal.bytes(try decode(String.self, forKey: key)), bytes.count == byteCount else {
            throw invalid(key, "is not \(2 * byteCount) hexadecimal digits")
        }
        return bytes
    }

    func invalid(_ key: Key, _ what: String) -> DecodingError {
        .dataCorruptedError(forKey: key, in: self, debugDescription: what)
    }

    private func checked<T: Comparable>(_ value: T, in range: ClosedRange<T>, _ key: Key) throws -> T {
        guard range.contains(value) else {
            throw invalid(key, "is not in \(range.lowerBound)…\(range.upperBound)")
        }
        return value
    }

    private func checked<T>(_ list: [T], limit: Int, _ key: Key) throws -> [T] {
        guard list.count <= limit else { throw invalid(key, "has \(list.count) entries, at most \(limit) are allowed") }
        return list
    }
}

extension Double {
    /// JSON has no word for NaN and the infinities.
    var orZeroIfNotFinite: Double { isFinite ? self : 0 }
}
