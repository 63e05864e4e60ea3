/// Studio to producer, a request: show this camera.
package struct SelectCamera: RequestBody {
    package static let name = "selectCamera"

    package var request: UInt32
    /// An `id` from `cameras`.
    package var camera: String

    package init(request: UInt32, camera: String) {
        self.request = request
        self.camera = camera
    }

    private enum CodingKeys: String, CodingKey { case request, camera }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        request = try container.integer(.request)
        camera = try container.identifier(.camera)
    }
}
