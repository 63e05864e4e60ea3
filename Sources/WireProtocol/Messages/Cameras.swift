/// Producer to studio, after `welcome` and at each change: the cameras there are. All of them, not the difference.
package struct Cameras: MessageBody {
    package static let name = "cameras"

    package struct Camera: Codable, Hashable, Sendable {
        /// Stays with the device when it is plugged in elsewhere.
        package var id: String
        /// A label, cleaned.
        package var name: String

        package init(id: String, name: String) {
            self.id = id
            self.name = name
        }

        private enum CodingKeys: String, CodingKey { case id, name }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            id = try container.identifier(.id)
            name = try container.name(.name, fallback: "Camera")
        }
    }

    package var cameras: [Camera]
    /// The `id` of the one in use; nil when none is.
    package var selected: String?

    package init(cameras: [Camera], selected: String?) {
        self.cameras = cameras
        self.selected = selected
    }

    private enum CodingKeys: String, CodingKey { case cameras, selected }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        cameras = try container.list(.cameras, of: Camera.self, limit: Limits.cameraCount)
        selected = try container.identifierIfPresent(.selected)
    }
}
