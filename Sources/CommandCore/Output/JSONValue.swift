/// A JSON value (RFC 8259) to be written, with members in the order given.
package enum JSONValue: Sendable, Hashable {
    case null
    case bool(Bool)
    case integer(Int64)
    /// Written with three decimals at most; NaN and infinity become null, since JSON has neither.
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    package var text: String {
        var text = ""
        write(to: &text)
        return text
    }

    private func write(to text: inout String) {
        switch self {
        case .null: text += "null"
        case .bool(let value): text += value ? "true" : "false"
        case .integer(let value): text += String(value)
        case .number(let value): text += Self.decimal(value)
        case .string(let value): Self.quote(value, to: &text)
        case .array(let values):
            text += "["
            for (index, value) in values.enumerated() {
                if index > 0 { text += "," }
                value.write(to: &text)
            }
            text += "]"
        case .object(let members):
            text += "{"
            for (index, member) in members.enumerated() {
                if index > 0 { text += "," }
                Self.quote(member.name, to: &text)
                text += ":"
                member.value.write(to: &text)
            }
            text += "}"
        }
    }

    private static func decimal(_ value: Double) -> String {
        guard value.isFinite else { return "null" }
        guard abs(value) < 1e15 else { return String(value) }
        let thousandths = Int64(value * 1000 + (value < 0 ? -0.5 : 0.5))
        return String(Double(thousandths) / 1000)
    }

    /// Escapes what RFC 8259, section 7, demands, and what would harm a terminal: a name arrives whole at a program
    /// and shows harmless to a person.
    private static func quote(_ string: String, to text: inout String) {
        text += "\""
        for scalar in string.unicodeScalars {
            switch scalar {
            case "\"": text += "\\\""
            case "\\": text += "\\\\"
            case "\n": text += "\\n"
            case _ where TerminalText.isHarmful(scalar):
                let digits = String(scalar.value, radix: 16)
                text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: text.unicodeScalars.append(scalar)
            }
        }
        text += "\""
    }
}

package struct JSONMember: Sendable, Hashable {
    package let name: String
    package let value: JSONValue

    package init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension JSONValue: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(integerLiteral value: Int64) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { JSONMember($0.0, $0.1) })
    }

    package init(_ value: Int) { self = .integer(Int64(value)) }
    package init(_ value: String) { self = .string(value) }
    package init(_ value: Double) { self = .number(value) }
    package init(_ value: Bool) { self = .bool(value) }
    /// Nil becomes null.
    package init(_ value: String?) { self = value.map { .string($0) } ?? .null }
    package init(_ value: Double?) { self = value.map { .number($0) } ?? .null }
}
