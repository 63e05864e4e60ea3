import CamoTypes
import Glibc

/// What can be set on one camera. Its node is opened for each call and closed again: V4L2 lets a second handle set what
/// another one streams with, so that neither has to know of the other.
///
/// Calls block for as long as the driver takes; with a USB camera that is tens of milliseconds.
package struct CameraControls: Sendable {
    package let device: VideoDevice
    private let nodes: any VideoNodes

    package init(_ device: VideoDevice, nodes: any VideoNodes = SystemVideoNodes()) {
        self.device = device
        self.nodes = nodes
    }

    /// All controls as they are now.
    ///
    /// - Throws: ``DeviceError``: the camera cannot be opened, or has gone.
    package func read() throws(DeviceError) -> [CameraControl] {
        let node = try nodes.open(device.path)
        defer { node.close() }
        return try node.controlEntries().map(\.control)
    }

    /// Sets one control by hand. An automatic mode that sees to it (exposure, gain, focus, white balance) is switched
    /// off first.
    ///
    /// - Parameter value: Within the control's range; between two steps the driver takes the nearest.
    /// - Returns: All controls afterwards: setting one may change others.
    /// - Throws: ``DeviceError`` `.noSuchControl`, `.outOfRange`, `.notSettable` when it is read-only or held, `.failed`
    ///   when the camera refuses, or what hinders opening it.
    package func set(_ id: String, to value: Int64) throws(DeviceError) -> [CameraControl] {
        let node = try nodes.open(device.path)
        defer { node.close() }
        let entries = try node.controlEntries()
        guard let entry = entries.first(where: { $0.control.id == id }) else {
            let known = entries.map(\.control.id)
            throw DeviceError(
                .noSuchControl, device: device.path,
                "it has no control \(id); "
                    + (known.isEmpty ? "it has none at all" : "it has \(known.joined(separator: ", "))"))
        }
        let control = entry.control
        guard !control.isReadOnly else {
            throw DeviceError(.notSettable, device: device.path, "\(id) can only be read, not set")
        }
        guard control.accepts(value) else {
            throw DeviceError(.outOfRange, device: device.path, "\(id) takes \(control.expectation), not \(value)")
        }
        try switchOffAutomatic(modes: ControlNumber.automaticModes(of: entry.number), entries, node)
        // What held it may have been the automatic mode.
        if control.isInactive, try node.controlEntry(entry.number)?.control.isInactive ?? true {
            throw DeviceError(
                .notSettable, device: device.path, "\(id) cannot be set now: another control or program holds it")
        }
        try check(node.setControl(entry.number, to: value), node, "\(id) could not be set to \(value)")
        return try node.controlEntries().map(\.control)
    }

    /// What the camera can judge by one point of its picture; nothing where its driver has no region.
    ///
    /// - Throws: ``DeviceError``: the camera cannot be opened.
    package func pointsOfInterest() throws(DeviceError) -> Set<PointOfInterest> {
        let node = try nodes.open(device.path)
        defer { node.close() }
        return node.pointsOfInterest()
    }

    /// Has the camera judge exposure or focus by the surroundings of a point. Its automatic mode has to be on.
    ///
    /// - Parameter point: In the picture as the camera takes it.
    /// - Throws: ``DeviceError`` `.noSuchControl` when its driver has no region for that.
    package func aim(_ interest: PointOfInterest, at point: PicturePoint) throws(DeviceError) {
        let node = try nodes.open(device.path)
        defer { node.close() }
        guard node.pointsOfInterest().contains(interest) else {
            throw DeviceError(
                .noSuchControl, device: device.path, "its driver cannot judge \(interest.rawValue) by one point")
        }
        try check(
            node.aim(interest, at: point), node, "it could not be told to judge \(interest.rawValue) by that point")
    }

    private func switchOffAutomatic(
        modes: [ControlNumber.AutomaticMode], _ entries: [ControlEntry], _ node: any VideoNode
    ) throws(DeviceError) {
        for mode in modes {
            guard let automatic = entries.first(where: { $0.number == mode.number })?.control,
                !automatic.isReadOnly, !mode.manualValues.contains(automatic.value),
                let manual = mode.manualValues.first(where: automatic.accepts)
            else { continue }
            try check(
                node.setControl(mode.number, to: manual), node,
                "\(automatic.id) could not be set to \(automatic.text(for: manual))")
        }
    }

    private func check(_ error: Int32, _ node: any VideoNode, _ what: String) throws(DeviceError) {
        switch error {
        case 0: return
        case ENODEV, ENXIO: throw node.failure(error, what)
        case EBUSY, EACCES:
            // Here these are not about opening the node, which is open.
            throw DeviceError(
                .notSettable, device: device.path, systemError: error,
                what + ": the camera or another program holds it")
        case ERANGE: throw DeviceError(.outOfRange, device: device.path, systemError: error, what)
        default: throw DeviceError(.failed, device: device.path, systemError: error, what + "; the camera refused")
        }
    }
}
