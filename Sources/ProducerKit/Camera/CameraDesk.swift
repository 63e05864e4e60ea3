internal import Confinement
internal import Dispatch

/// What a controller knows of its cameras, and does with them: one thing after another, on a queue where drivers may
/// take their time.
final class CameraDesk: Sendable {
    struct Known: Hashable, Sendable {
        var cameras: [Camera] = []
        var selected: Camera.ID?
        var controls: [CameraControl] = []
        var points: Set<PointOfInterest> = []
    }

    let camera: any SelectableCamera
    private let queue = DispatchQueue(label: "cameras", qos: .userInitiated)
    /// Nil until it was looked at.
    private let known = Locked<Known?>(nil)
    /// Told each change once, in order.
    private let told: Locked<Known>
    private let changes = Locked<CameraChanges?>(nil)
    private let onChange: @Sendable (_ old: Known, _ new: Known) -> Void

    /// - Parameter onChange: On any thread, never two at once.
    init(_ camera: any SelectableCamera, onChange: @escaping @Sendable (_ old: Known, _ new: Known) -> Void) {
        self.camera = camera
        self.onChange = onChange
        told = Locked(Known())
    }

    /// As far as it is known; looks where that was never done, which blocks.
    var now: Known {
        if let known = known.withLock({ $0 }) { return known }
        return queue.sync { look() }
    }

    /// Looks anew at what there is: later, on the queue.
    func refresh() { queue.async { [self] in _ = look() } }

    /// Somebody new listens: everything is told once more, and from now on cameras that come and go.
    func begin() {
        let watch = CameraChanges(camera.news()) { [weak self] in self?.refresh() }
        changes.withLock { $0 = watch }
        queue.async { [self] in
            told.withLock { $0 = Known() }
            _ = look()
        }
    }

    /// Nobody listens any more.
    func end() { changes.withLock { $0 = nil } }

    /// Somebody has set something, here or elsewhere. Any thread.
    func controlsDidChange(_ controls: [CameraControl]) { change { $0.controls = controls } }

    /// - Parameter completion: On the queue.
    func select(_ id: Camera.ID, completion: @escaping @Sendable (Result<Void, ProducerError>) -> Void) {
        queue.async { [self] in
            let result = Result { () throws(ProducerError) in try camera.select(id) }
            _ = look()
            completion(result)
        }
    }

    /// - Parameter completion: On the queue.
    func set(_ id: String, to value: Int64, completion: @escaping @Sendable (Result<Void, ProducerError>) -> Void) {
        queue.async { [self] in
            completion(
                Result { () throws(ProducerError) in
                    let controls = try camera.panel.set(id, to: value)
                    change { $0.controls = controls }
                })
        }
    }

    /// - Parameters:
    ///   - point: In the picture as the camera takes it.
    ///   - completion: On the queue.
    func aim(
        _ interest: PointOfInterest, at point: PicturePoint,
        completion: @escaping @Sendable (Result<Void, ProducerError>) -> Void
    ) {
        queue.async { [self] in
            completion(Result { () throws(ProducerError) in try camera.panel.aim(interest, at: point) })
        }
    }

    /// - Parameters:
    ///   - withFlash: The camera's lamp lights it.
    ///   - completion: On the queue.
    func takePhoto(withFlash: Bool, completion: @escaping @Sendable (Result<VideoFrame, ProducerError>) -> Void) {
        queue.async { [self] in
            completion(Result { () throws(ProducerError) in try camera.takePhoto(withFlash: withFlash) })
        }
    }

    /// The queue. A camera that does not answer now has no controls.
    private func look() -> Known {
        let new = Known(
            cameras: camera.cameras, selected: camera.selectedCamera.id, controls: (try? camera.panel.read()) ?? [],
            points: (try? camera.panel.pointsOfInterest()) ?? [])
        change { $0 = new }
        return new
    }

    private func change(_ body: (inout Known) -> Void) {
        // What is told is found with the lock held that orders the telling.
        told.withLock { told in
            let new = known.withLock { known in
                var new = known ?? told
                body(&new)
                known = new
                return new
            }
            guard new != told else { return }
            let old = told
            told = new
            onChange(old, new)
        }
    }
}
