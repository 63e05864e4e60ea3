/// Studio to producer, a request: send nothing (the camera may close) until it is taken back. The subscription stays.
package struct Pause: RequestBody {
    package static let name = "pause"

    package var request: UInt32
    package var isPaused: Bool

    package init(request: UInt32, isPaused: Bool) {
        self.request = request
        self.isPaused = isPaused
    }

    private enum CodingKeys: String, CodingKey {
        case request
        case isPaused = "paused"
    }
}
