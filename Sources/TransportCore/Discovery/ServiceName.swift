internal import CamoTypes

/// Rules for the instance name of a service (RFC 6763, 4.1.1): one DNS label of UTF-8.
package enum ServiceName {
    /// A DNS label (RFC 1035, 2.3.4).
    package static let maximumByteCount = 63

    /// `text` made fit to be published: in NFC (which RFC 6763 wants too), on one line, at most 63 bytes, not blank.
    package static func label(_ text: String) -> String {
        TextLine.cleaned(text, maximumByteCount: maximumByteCount) ?? "camo"
    }

    /// The longest beginning of `text` that has at most `limit` bytes of UTF-8 and ends at a character; white space
    /// at its end goes too. A first character that is longer (a letter with fifty accents) is cut at a scalar.
    package static func cut(_ text: String, toByteCount limit: Int) -> String {
        guard text.utf8.count > limit else { return text }
        var kept = ""
        var byteCount = 0
        for character in text {
            let size = character.utf8.count
            guard byteCount + size <= limit else { break }
            kept.append(character)
            byteCount += size
        }
        if kept.isEmpty {
            for scalar in text.unicodeScalars {
                let size = UTF8.width(scalar)
                guard byteCount + size <= limit else { break }
                kept.unicodeScalars.append(scalar)
                byteCount += size
            }
        }
        while kept.last?.isWhitespace == true { kept.removeLast() }
        return kept
    }

    /// The name to try when `name` is taken: `Porch`, `Porch #2`, `Porch #3` …, which is how Avahi and others count.
    package static func alternative(to name: String) -> String {
        var stem = Substring(name)
        var number = 2
        if let mark = name.range(of: " #"), let last = UInt16(name[mark.upperBound...]), last >= 1 {
            stem = name[..<mark.lowerBound]
            number = Int(last) + 1
        }
        let suffix = " #\(number)"
        return cut(String(stem), toByteCount: maximumByteCount - suffix.utf8.count) + suffix
    }
}

extension String {
    /// The last place of `text`, without Foundation.
    fileprivate func range(of text: String) -> Range<String.Index>? {
        let length = text.count
        var start = index(endIndex, offsetBy: -length, limitedBy: startIndex)
        while let from = start {
            let to = index(from, offsetBy: length)
            if self[from..<to] == text { return from..<to }
            start = from == startIndex ? nil : index(before: from)
        }
        return nil
    }
}
