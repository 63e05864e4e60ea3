import Foundation

/// One line of JSON that a program printed.
@dynamicMemberLookup
struct JSONEvent: Sendable, CustomStringConvertible {
    /// The line as it was.
    let line: String
    private let fields: [String: JSONValue]

    /// Nil for a line that is not a JSON object.
    init?(line: String) {
        guard let fields = try? JSONDecoder().decode([String: JSONValue].self, from: Data(line.utf8)) else {
            return nil
        }
        self.line = line
        self.fields = fields
    }

    /// `null` where there is no such field.
    subscript(field: String) -> JSONValue { fields[field] ?? .null }
    subscript(dynamicMember field: String) -> JSONValue { self[field] }

    /// The value of `event`; "" where there is none.
    var kind: String { self["event"].string ?? "" }
    var description: String { line }
}

enum JSONValue: Sendable, Hashable, Decodable {
    case null
    case bool(Bool)
    case integer(Int64)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .bool(value)
        } else if let value = try? container.decode(Int64.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    var string: String? { if case .string(let value) = self { value } else { nil } }
    var integer: Int? { if case .integer(let value) = self { Int(exactly: value) } else { nil } }
    var bool: Bool? { if case .bool(let value) = self { value } else { nil } }
    var strings: [String] { array.compactMap(\.string) }
    var array: [JSONValue] { if case .array(let values) = self { values } else { [] } }
    var double: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// `null` where this is no object or has no such field.
    subscript(field: String) -> JSONValue {
        if case .object(let fields) = self { fields[field] ?? .null } else { .null }
    }
}
