/// Studio to producer, a request: set one control of the camera in use.
package struct SetControl: RequestBody {
    package static let name = "setControl"

    package var request: UInt32
    /// An `id` from `controls`.
    package var control: String
    /// Within ``Limits/integers``.
    package var value: Int64

    package init(request: UInt32, control: String, value: Int64) {
        self.request = request
        self.control = control
        self.value = value
    }

    private enum CodingKeys: String, CodingKey { case request, control, value }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        request = try container.integer(.request)
        control = try container.identifier(.control)
        value = try container.integer(.value, in: Limits.integers)
    }
}
