/// Studio to producer, a request: I am about to send sound for your loudspeaker, or I have ended.
///
/// With an answer of `ok` the studio configures a stream with an even id and sends on it.
package struct Talk: RequestBody {
    package static let name = "talk"

    package var request: UInt32
    package var isActive: Bool

    package init(request: UInt32, isActive: Bool) {
        self.request = request
        self.isActive = isActive
    }

    private enum CodingKeys: String, CodingKey {
        case request
        case isActive = "active"
    }
}
