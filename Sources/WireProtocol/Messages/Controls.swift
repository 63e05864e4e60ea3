/// Producer to studio, after `welcome` and whenever the camera changes: what can be set on it. All of them.
package struct Controls: MessageBody {
    package static let name = "controls"

    package struct Control: Codable, Hashable, Sendable {
        /// An open set: a kind that is not known is shown, but not set.
        package struct Kind: RawRepresentable, Hashable, Sendable, Codable {
            package let rawValue: String
            package init(rawValue: String) { self.rawValue = rawValue }

            package static let integer = Kind(rawValue: "integer")
            /// 0 or 1.
            package static let boolean = Kind(rawValue: "boolean")
            /// One of the values in `menu`.
            package static let menu = Kind(rawValue: "menu")
            /// Setting it to anything does something once.
            package static let button = Kind(rawValue: "button")
        }

        package struct MenuItem: Codable, Hashable, Sendable {
            package var value: Int64
            /// A label, cleaned.
            package var name: String

            package init(value: Int64, name: String) {
                self.value = value
                self.name = name
            }

            private enum CodingKeys: String, CodingKey { case value, name }

            package init(from decoder: any Decoder) throws {
                let container = try decoder.container(keyedBy: CodingKeys.self)
                value = try container.integer(.value, in: Limits.integers)
                name = try container.name(.name, fallback: String(value))
            }
        }

        /// A word: `exposure_time_absolute`. All values lie within ``Limits/integers``.
        package var id: String
        /// A label, cleaned.
        package var name: String
        package var kind: Kind
        package var minimum: Int64
        package var maximum: Int64
        /// At least 1.
        package var step: Int64
        package var defaultValue: Int64
        package var value: Int64
        package var menu: [MenuItem]
        /// Cannot be set now: another control (automatic exposure) sees to it.
        package var isInactive: Bool
        package var isReadOnly: Bool

        package init(
            id: String, name: String, kind: Kind, minimum: Int64, maximum: Int64, step: Int64 = 1, defaultValue: Int64,
            value: Int64, menu: [MenuItem] = [], isInactive: Bool = false, isReadOnly: Bool = false
        ) {
            self.id = id
            self.name = name
            self.kind = kind
            self.minimum = minimum
            self.maximum = maximum
            self.step = step
            self.defaultValue = defaultValue
            self.value = value
            self.menu = menu
            self.isInactive = isInactive
            self.isReadOnly = isReadOnly
        }

        private enum CodingKeys: String, CodingKey {
            case id, name, kind, minimum, maximum, step, value, menu
            case defaultValue = "default"
            case isInactive = "inactive"
            case isReadOnly = "readOnly"
        }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.identifier(.id)
            name = try container.name(.name, fallback: id)
            kind = try container.word(.kind, as: Kind.self)
            minimum = try container.integer(.minimum, in: Limits.integers)
            maximum = try container.integer(.maximum, in: minimum...Limits.integers.upperBound)
            step = try container.integerIfPresent(.step, in: 1...Limits.integers.upperBound) ?? 1
            value = try container.integer(.value, in: Limits.integers)
            defaultValue = try container.integerIfPresent(.defaultValue, in: Limits.integers) ?? value
            menu = try container.listIfPresent(.menu, of: MenuItem.self, limit: Limits.menuItemCount) ?? []
            isInactive = try container.flag(.isInactive, default: false)
            isReadOnly = try container.flag(.isReadOnly, default: false)
        }
    }

    /// The camera that they belong to; nil for a source that is not a camera.
    package var camera: String?
    package var controls: [Control]

    package init(camera: String?, controls: [Control]) {
        self.camera = camera
        self.controls = controls
    }

    private enum CodingKeys: String, CodingKey { case camera, controls }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        camera = try container.identifierIfPresent(.camera)
        controls = try container.list(.controls, of: Control.self, limit: Limits.controlCount)
    }
}
