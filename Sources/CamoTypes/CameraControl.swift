/// Something that can be set on a camera, as it was when it was read: brightness, exposure time, focus.
public struct CameraControl: Hashable, Sendable, Identifiable {
    /// What values it takes. An open set: one that is not known is shown, but not set.
    public struct Kind: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        public static let integer = Kind(rawValue: "integer")
        /// 0 or 1.
        public static let boolean = Kind(rawValue: "boolean")
        /// One of the values in ``CameraControl/menu``.
        public static let menu = Kind(rawValue: "menu")
        /// Setting it to anything does something once.
        public static let button = Kind(rawValue: "button")
    }

    public struct MenuItem: Hashable, Sendable {
        public var value: Int64
        /// What the driver calls it: `50 Hz`.
        public var name: String

        public init(value: Int64, name: String) {
            self.value = value
            self.name = name
        }
    }

    /// A word, the same on every camera that has it: `exposure_time_absolute`.
    public var id: String
    /// What the driver calls it: `Exposure Time, Absolute`.
    public var name: String
    public var kind: Kind
    /// Both ends included. Units are the driver's; V4L2 says 100 µs for exposure times and kelvin for white balance.
    public var range: ClosedRange<Int64>
    /// From one value to the next, at least 1.
    public var step: Int64
    public var defaultValue: Int64
    public var value: Int64
    /// Empty unless it is a menu.
    public var menu: [MenuItem]
    /// Setting it has no effect now: another control, such as automatic exposure, sees to it.
    public var isInactive: Bool
    public var isReadOnly: Bool

    public init(
        id: String, name: String, kind: Kind, range: ClosedRange<Int64>, step: Int64 = 1, defaultValue: Int64,
        value: Int64, menu: [MenuItem] = [], isInactive: Bool = false, isReadOnly: Bool = false
    ) {
        self.id = id
        self.name = name
        self.kind = kind
        self.range = range
        self.step = max(1, step)
        self.defaultValue = defaultValue
        self.value = value
        self.menu = menu
        self.isInactive = isInactive
        self.isReadOnly = isReadOnly
    }
}

extension CameraControl {
    /// What the control takes, for people: `0 to 255 in steps of 5`, `0 (Disabled), 1 (50 Hz)`.
    public var expectation: String {
        switch kind {
        case .boolean: return "on or off"
        case .button: return "any value"
        case .menu: return menu.map { "\($0.value) (\($0.name))" }.joined(separator: ", ")
        default:
            let steps = step > 1 ? " in steps of \(step)" : ""
            return "\(range.lowerBound) to \(range.upperBound)\(steps)"
        }
    }

    /// Whether it can have this value, whatever stands in the way of setting it now.
    public func accepts(_ value: Int64) -> Bool {
        switch kind {
        case .button: true
        case .menu: menu.contains { $0.value == value }
        default: range.contains(value)
        }
    }

    /// A value for people: `on`, `50 Hz`, `128`.
    public func text(for value: Int64) -> String {
        switch kind {
        case .boolean: value == 0 ? "off" : "on"
        case .menu: menu.first { $0.value == value }?.name ?? "\(value)"
        default: "\(value)"
        }
    }

    /// The value that people mean by a number, by `on` and `off`, or by the name of a menu's item; nil when it is none.
    public func value(of text: String) -> Int64? {
        if let number = Int64(text) { return number }
        let word = text.lowercased()
        switch kind {
        case .boolean: return ["on": 1, "true": 1, "yes": 1, "off": 0, "false": 0, "no": 0][word]
        case .menu: return menu.first { $0.name.lowercased() == word }?.value
        case .button: return text.isEmpty ? 1 : nil
        default: return nil
        }
    }
}
