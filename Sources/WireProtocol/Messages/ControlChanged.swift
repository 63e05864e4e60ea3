/// Producer to studio: a control has another value, whoever changed it, or can or cannot be set now.
package struct ControlChanged: MessageBody {
    package static let name = "controlChanged"

    /// An `id` from `controls`.
    package var control: String
    package var value: Int64
    package var isInactive: Bool

    package init(control: String, value: Int64, isInactive: Bool = false) {
        self.control = control
        self.value = value
        self.isInactive = isInactive
    }

    private enum CodingKeys: String, CodingKey {
        case control, value
        case isInactive = "inactive"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        control = try container.identifier(.control)
        value = try container.integer(.value, in: Limits.integers)
        isInactive = try container.flag(.isInactive, default: false)
    }
}
