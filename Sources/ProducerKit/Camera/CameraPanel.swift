internal import DeviceCore

/// What can be set on one camera. Every call blocks for as long as its driver takes.
package protocol ControlPanel: Sendable {
    /// All controls as they are now.
    func read() throws(ProducerError) -> [CameraControl]

    /// Sets one control by hand; an automatic mode that sees to it is switched off first.
    ///
    /// - Returns: All controls afterwards.
    /// - Throws: ``ProducerError`` `.notFound` (no such control, with those there are), `.outOfRange`, `.notSettable`,
    ///   `.unavailable` when the camera refuses.
    func set(_ id: String, to value: Int64) throws(ProducerError) -> [CameraControl]

    /// What the camera can judge by one point of its picture; mostly nothing.
    func pointsOfInterest() throws(ProducerError) -> Set<PointOfInterest>

    /// - Parameter point: In the picture as the camera takes it.
    /// - Throws: ``ProducerError`` `.notFound` where it cannot.
    func aim(_ interest: PointOfInterest, at point: PicturePoint) throws(ProducerError)
}

/// The controls of a V4L2 camera, whoever streams from it: another program may. Its node is opened for each call.
package struct CameraPanel: ControlPanel {
    package let camera: Camera
    private let controls: CameraControls

    /// - Parameter text: A device node, a stable ID or a name; nil: the first camera.
    /// - Throws: ``ProducerError`` when there is no such camera, or it is no camera.
    package init(_ text: String?) throws(ProducerError) {
        do throws(DeviceError) {
            self.init(try SystemCameras().find(text))
        } catch {
            throw ProducerError(error)
        }
    }

    init(_ device: VideoDevice, nodes: any VideoNodes = SystemVideoNodes()) {
        camera = Camera(device)
        controls = CameraControls(device, nodes: nodes)
    }

    package func read() throws(ProducerError) -> [CameraControl] {
        do throws(DeviceError) { return try controls.read() } catch { throw ProducerError(error) }
    }

    package func set(_ id: String, to value: Int64) throws(ProducerError) -> [CameraControl] {
        do throws(DeviceError) { return try controls.set(id, to: value) } catch { throw ProducerError(error) }
    }

    package func pointsOfInterest() throws(ProducerError) -> Set<PointOfInterest> {
        do throws(DeviceError) { return try controls.pointsOfInterest() } catch { throw ProducerError(error) }
    }

    package func aim(_ interest: PointOfInterest, at point: PicturePoint) throws(ProducerError) {
        do throws(DeviceError) { try controls.aim(interest, at: point) } catch { throw ProducerError(error) }
    }
}

extension Camera {
    init(_ device: VideoDevice) { self.init(id: device.id, name: device.name) }
}
