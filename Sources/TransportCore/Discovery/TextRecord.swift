/// The TXT record of a service: `key=value` strings in order, values are bytes (RFC 6763, section 6).
package struct TextRecord: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package var key: String
        package var value: [UInt8]
    }

    /// In the order of the record.
    package private(set) var entries: [Entry] = []

    /// A string of the record has one length byte (RFC 1035, 3.3.14), key and `=` included.
    package static let maximumEntryByteCount = 255
    /// A bound for what others announce; ours has five entries.
    package static let maximumEntryCount = 32

    package init() {}

    /// What others announced. As RFC 6763 (6.4) wants: a string without a key is ignored, the first of equal keys
    /// counts, a string without `=` is a key with an empty value here.
    package init(strings: some Sequence<[UInt8]>) {
        for string in strings.prefix(Self.maximumEntryCount) where string.count <= Self.maximumEntryByteCount {
            let parts = string.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let key = parts.first, !key.isEmpty, key.allSatisfy({ (0x20...0x7e).contains($0) }) else { continue }
            let text = String(decoding: key, as: UTF8.self)
            guard self[text] == nil else { continue }
            entries.append(Entry(key: text, value: parts.count > 1 ? Array(parts[1]) : []))
        }
    }

    /// The value of `key`, whose case does not matter (RFC 6763, 6.4).
    package subscript(key: String) -> [UInt8]? {
        entries.first { $0.key.lowercased() == key.lowercased() }?.value
    }

    /// The value of `key` as text, repaired where it is not UTF-8. Not cleaned.
    package func text(_ key: String) -> String? { self[key].map { String(decoding: $0, as: UTF8.self) } }

    /// Adds an entry at the end, or replaces the value of `key` in place. Bytes that do not fit are cut off.
    package mutating func set(_ key: String, to value: some Sequence<UInt8>) {
        let room = max(0, Self.maximumEntryByteCount - key.utf8.count - 1)
        let value = Array(value.prefix(room))
        if let index = entries.firstIndex(where: { $0.key.lowercased() == key.lowercased() }) {
            entries[index].value = value
        } else {
            entries.append(Entry(key: key, value: value))
        }
    }

    /// As above; text is cut at a character.
    package mutating func set(_ key: String, to text: String) {
        let room = max(0, Self.maximumEntryByteCount - key.utf8.count - 1)
        set(key, to: ServiceName.cut(text, toByteCount: room).utf8)
    }

    /// The strings of the record, as they go into a packet.
    package var strings: [[UInt8]] { entries.map { Array($0.key.utf8) + [UInt8(ascii: "=")] + $0.value } }
}
