import CamoTypes

/// What help, messages and completion say about a value.
package struct ValueDescription: Sendable {
    /// `N`, `WxH`, `FILE`.
    package var placeholder: String
    /// Completes "… is not": `a whole number from 1 to 65535`.
    package var expectation: String
    /// All values there are, where they can be listed.
    package var choices: [String] = []
    /// File names complete it.
    package var isPath = false
}

/// How the text of an option or operand becomes a value.
package struct ValueKind<Value: Sendable>: Sendable {
    package var description: ValueDescription
    /// Nil: refused.
    package let read: @Sendable (String) -> Value?
}

extension ValueKind {
    /// A kind of one program's own.
    package init(placeholder: String, expectation: String, read: @escaping @Sendable (String) -> Value?) {
        self.init(
            description: ValueDescription(placeholder: placeholder, expectation: expectation), read: read)
    }
}

extension ValueKind where Value == Secret {
    /// Anything; whoever reads it says what is wrong, without repeating it.
    package static func secret(_ placeholder: String) -> ValueKind {
        ValueKind(placeholder: placeholder, expectation: placeholder) { Secret($0) }
    }
}

extension ValueKind where Value == Int {
    /// Decimal digits alone: no sign, no exponent, nothing that a locale knows.
    package static func wholeNumber(in range: ClosedRange<Int>) -> ValueKind {
        ValueKind(
            description: ValueDescription(
                placeholder: "N", expectation: "a whole number from \(range.lowerBound) to \(range.upperBound)")
        ) { text in
            guard isDigits(text), let number = Int(text), range.contains(number) else { return nil }
            return number
        }
    }

    /// One of a few numbers: `90`, `180`, `270`.
    package static func choice(_ numbers: [Int]) -> ValueKind {
        let words = numbers.map(String.init)
        return ValueKind(description: .oneOf(words)) { text in
            words.firstIndex(of: text).map { numbers[$0] }
        }
    }

    /// Bits per second, with `k` for thousand and `M` for million: `800k`, `2.5M`, `6000000`.
    package static func bitRate(in range: ClosedRange<Int>) -> ValueKind {
        ValueKind(
            description: ValueDescription(
                placeholder: "BPS",
                expectation: "a bit rate from \(bitRateText(range.lowerBound)) to \(bitRateText(range.upperBound)), "
                    + "such as 800k or 2.5M")
        ) { text in
            var digits = text[...]
            var unit = 1.0
            switch digits.last {
            case "k", "K": (unit, digits) = (1e3, digits.dropLast())
            case "M": (unit, digits) = (1e6, digits.dropLast())
            default: break
            }
            guard let number = plainNumber(digits) else { return nil }
            // At most 12 digits times a million: far inside what a Double holds exactly.
            let bits = Int(number * unit + 0.5)
            return range.contains(bits) ? bits : nil
        }
    }
}

extension ValueKind where Value == Double {
    /// Digits with at most one point: `30`, `29.97`. "nan", "inf", "1e9" and "0x1p3", which `Double` reads, are refused.
    package static func number(in range: ClosedRange<Double>) -> ValueKind {
        ValueKind(
            description: ValueDescription(
                placeholder: "N",
                expectation: "a number from \(shortest(range.lowerBound)) to \(shortest(range.upperBound))")
        ) { text in
            guard let number = plainNumber(text[...]), range.contains(number) else { return nil }
            return number
        }
    }
}

extension ValueKind where Value == PixelSize {
    /// `1280x720`.
    package static var size: ValueKind {
        ValueKind(
            description: ValueDescription(
                placeholder: "WxH", expectation: "a size from 2x2 to \(PixelSize.maximum), such as 1280x720")
        ) { PixelSize($0).flatMap { min($0.width, $0.height) >= 2 ? $0 : nil } }
    }

    /// `1280x720`, or a preset's name: `hd1280x720`.
    package static var captureSize: ValueKind {
        let names = CapturePreset.allCases.map(\.rawValue).joined(separator: ", ")
        return ValueKind(
            description: ValueDescription(
                placeholder: "WxH", expectation: "\(size.description.expectation), or one of \(names)")
        ) { text in CapturePreset(rawValue: text)?.size ?? size.read(text) }
    }
}

extension ValueKind where Value == [PictureRegion] {
    /// Rectangles in percent of the picture, with slashes between them: `0,0,50x100/60,60,40x40`.
    package static var regions: ValueKind {
        ValueKind(
            description: ValueDescription(
                placeholder: "X,Y,WxH[/…]", expectation: "rectangles in percent of the picture, such as 0,0,50x100")
        ) { text in
            let parts = text.split(separator: "/", omittingEmptySubsequences: false)
            let regions = parts.compactMap(region)
            return regions.count == parts.count && regions.count <= 16 ? regions : nil
        }
    }

    private static func region(_ text: Substring) -> PictureRegion? {
        let words = text.split(separator: ",", omittingEmptySubsequences: false)
        guard words.count == 3 else { return nil }
        let sides = words[2].split(separator: "x", omittingEmptySubsequences: false)
        guard sides.count == 2 else { return nil }
        let numbers = [words[0], words[1], sides[0], sides[1]].compactMap { word -> Double? in
            guard !word.isEmpty, word.count <= 3, word.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
            return Double(word).map { $0 / 100 }
        }
        guard numbers.count == 4 else { return nil }
        let region = PictureRegion(x: numbers[0], y: numbers[1], width: numbers[2], height: numbers[3])
        return region.isValid ? region : nil
    }
}

extension ValueKind where Value: RawRepresentable & CaseIterable, Value.RawValue == String {
    /// One of the words of an enumeration.
    package static var choice: ValueKind {
        ValueKind(description: .oneOf(Value.allCases.map(\.rawValue))) { Value(rawValue: $0) }
    }
}

extension ValueKind where Value == String {
    /// One of `words`.
    package static func choice(_ words: [String]) -> ValueKind {
        ValueKind(description: .oneOf(words)) { words.contains($0) ? $0 : nil }
    }

    /// Anything but nothing, up to 4096 bytes.
    package static var text: ValueKind {
        ValueKind(description: ValueDescription(placeholder: "TEXT", expectation: "a text of 1 to 4096 bytes")) {
            (1...4096).contains($0.utf8.count) ? $0 : nil
        }
    }

    /// A label that others will see: 1 to 64 bytes, no control, direction or line characters.
    package static var name: ValueKind {
        ValueKind(
            description: ValueDescription(
                placeholder: "TEXT", expectation: "a name of 1 to 64 bytes on one line, without control characters")
        ) { text in
            guard (1...64).contains(text.utf8.count), !text.allSatisfy(\.isWhitespace),
                TerminalText.cleaned(text) == text
            else { return nil }
            return text
        }
    }

    /// A path. Whether it exists is for whoever opens it to say.
    package static var path: ValueKind {
        ValueKind(
            description: ValueDescription(placeholder: "FILE", expectation: "a path of 1 to 4095 bytes", isPath: true)
        ) {
            // PATH_MAX (limits.h) counts the closing NUL.
            (1...4095).contains($0.utf8.count) ? $0 : nil
        }
    }

    /// `host:port`, `1.2.3.4:5700`, `[fe80::1%eth0]:5700`. Only the form is checked; names are looked up elsewhere.
    package static var hostPort: ValueKind {
        ValueKind(
            description: ValueDescription(
                placeholder: "HOST:PORT",
                expectation: "an address with a port from 1 to 65535, such as studio.local:5700 or [fe80::1%eth0]:5700")
        ) { isHostPort($0) ? $0 : nil }
    }
}

extension ValueDescription {
    static func oneOf(_ words: [String]) -> ValueDescription {
        ValueDescription(
            placeholder: words.joined(separator: "|"), expectation: "one of \(words.joined(separator: ", "))",
            choices: words)
    }
}

private func isDigits(_ text: some StringProtocol) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (48...57).contains($0) }
}

private func plainNumber(_ text: Substring) -> Double? {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count <= 2, parts.allSatisfy({ isDigits($0) && $0.utf8.count <= 12 }) else { return nil }
    return Double(text)
}

private func shortest(_ number: Double) -> String {
    Double(Int(number)) == number ? String(Int(number)) : String(number)
}

private func bitRateText(_ bits: Int) -> String {
    if bits % 1_000_000 == 0 { return "\(bits / 1_000_000)M" }
    return bits % 1_000 == 0 ? "\(bits / 1_000)k" : "\(bits)"
}

private func isHostPort(_ text: String) -> Bool {
    guard let colon = text.lastIndex(of: ":"), text.utf8.count <= 300 else { return false }
    let port = text[text.index(after: colon)...]
    guard isDigits(port), let number = Int(port), (1...65535).contains(number) else { return false }
    let host = text[..<colon]
    guard !host.isEmpty, host.unicodeScalars.allSatisfy({ $0.value > 0x20 && $0.value != 0x7F }) else { return false }
    if host.hasPrefix("[") { return host.hasSuffix("]") && host.dropFirst().dropLast().contains(":") }
    // An IPv6 address outside brackets cannot be told from its port.
    return !host.contains(where: { ":[]/@".contains($0) })
}
