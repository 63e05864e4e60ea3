internal import WireProtocol

/// What a producer has said of its cameras. Nil: nothing yet.
package struct RemoteCameras: Hashable, Sendable {
    /// Whether it offers to be controlled; nil before it has welcomed this studio.
    package var isOffered: Bool?
    package var cameras: [Camera]?
    package var selected: Camera.ID?
    package var controls: [CameraControl]?

    package init() {}

    /// Nothing more is to come before something changes.
    package var isComplete: Bool { isOffered == false || (isOffered == true && cameras != nil && controls != nil) }

    mutating func apply(_ message: Cameras) {
        cameras = message.cameras.map { Camera(id: $0.id, name: $0.name) }
        selected = message.selected
    }

    mutating func apply(_ message: Controls) { controls = message.controls.map(CameraControl.init) }

    mutating func apply(_ message: ControlChanged) {
        guard let index = controls?.firstIndex(where: { $0.id == message.control }) else { return }
        controls?[index].value = message.value
        controls?[index].isInactive = message.isInactive
    }
}

extension CameraControl {
    init(_ control: Controls.Control) {
        self.init(
            id: control.id, name: control.name, kind: Kind(rawValue: control.kind.rawValue),
            range: control.minimum...max(control.minimum, control.maximum), step: control.step,
            defaultValue: control.defaultValue, value: control.value,
            menu: control.menu.map { MenuItem(value: $0.value, name: $0.name) },
            isInactive: control.isInactive, isReadOnly: control.isReadOnly)
    }
}
