internal import Confinement
internal import WireProtocol

/// The producer's camera, from here.
extension StudioController {
    /// A camera has this long to show its first picture before the producer gives it up.
    private static let selectionTime = Duration.seconds(10)

    /// The cameras that the producer can show; none while it is not connected, has none, or lets nobody choose.
    public var cameras: [Camera] { remoteCameras.value.cameras ?? [] }

    /// The one that it shows.
    public var selectedCamera: Camera.ID? { remoteCameras.value.selected }

    /// What can be set on the one that it shows.
    public var controls: [CameraControl] { remoteCameras.value.controls ?? [] }

    /// Asks the producer to show another camera, to everybody who watches it.
    ///
    /// - Parameter id: One of ``cameras``.
    /// - Throws: ``StudioError``: `notFound`, `busy`, `refused`, `unsupported` … with the producer's reason; it goes on
    ///   showing the old one.
    public func selectCamera(_ id: Camera.ID) async throws {
        do throws(StudioError) {
            try checkWord(id, of: "camera")
            try await ask("another camera", within: Self.selectionTime) {
                .selectCamera(SelectCamera(request: $0, camera: id))
            }
            delegateCalls.call { [self] in $0.studioController(self, didSelectCamera: id) }
        } catch {
            delegateCalls.call { [self] in $0.studioController(self, didFailToSelectCamera: error) }
            throw error
        }
    }

    /// Asks the producer to set a control of its camera; an automatic mode that sees to it is switched off there first.
    ///
    /// - Parameters:
    ///   - id: One of ``controls``.
    ///   - value: Within its range.
    /// - Throws: ``StudioError``: `notFound`, `outOfRange`, `refused`, `unsupported` … with the producer's reason.
    public func setControl(_ id: CameraControl.ID, to value: Int64) async throws {
        do throws(StudioError) {
            try checkWord(id, of: "control")
            guard Limits.integers.contains(value) else {
                throw StudioError(.outOfRange, "\(id): no control takes \(value)")
            }
            try await ask("\(id)=\(value)") { .setControl(SetControl(request: $0, control: id, value: value)) }
            delegateCalls.call { [self] in $0.studioController(self, didSetControl: id, to: value) }
        } catch {
            delegateCalls.call { [self] in $0.studioController(self, didFailToSetControl: id, error: error) }
            throw error
        }
    }

    /// How brightly the torch of the producer's camera shines: 0, off, to 1; nil where it has none.
    public var torchLevel: Double? { CameraLamp(controls)?.torchLevel }

    /// Asks the producer to switch its camera's torch on or off.
    ///
    /// - Parameter level: 0, off, to 1; the nearest that there is.
    /// - Throws: ``StudioError``, as ``setControl(_:to:)``; `notFound` where the camera has no torch.
    public func setTorch(_ level: Double) async throws {
        guard (0...1).contains(level) else { throw StudioError(.outOfRange, "a torch takes 0 to 1, not \(level)") }
        let settings = CameraLamp(controls)?.settings(torch: level) ?? []
        guard !settings.isEmpty else { throw StudioError(.notFound, "the producer's camera has no torch") }
        for setting in settings { try await setControl(setting.control, to: setting.value) }
    }

    /// What no producer can have called anything would break the protocol, and with it the session.
    func checkWord(_ id: String, of what: String) throws(StudioError) {
        let limit = Limits.textByteCount
        guard TextLine.cleaned(id, maximumByteCount: limit) != id else { return }
        let shown = TextLine.cleaned(id, maximumByteCount: 64).map { ": \($0)" } ?? ""
        throw StudioError(.notFound, "that can be no \(what)'s ID, which is 1 to \(limit) bytes of plain text\(shown)")
    }

    /// Waits until the producer has said what cameras and controls there are.
    ///
    /// - Throws: ``StudioError``: `timedOut`; `unsupported` when it offers none.
    package func waitForCameras(atMost limit: Duration) async throws -> RemoteCameras {
        guard let remote = await remoteCameras.first(within: limit, { $0.isComplete ? $0 : nil }) else {
            throw StudioError(
                .timedOut, "no producer has told of its cameras within \(limit.components.seconds) seconds")
        }
        guard remote.isOffered == true else {
            throw StudioError(
                .unsupported,
                "the producer offers no control of cameras: its source is none, or it was started with "
                    + "--no-remote-control")
        }
        return remote
    }

    // MARK: What the producer says; the link's queue

    func producerSaid(_ change: (inout RemoteCameras) -> Void) {
        guard let (old, new) = remoteCameras.update(change) else { return }
        if new.cameras != old.cameras || new.selected != old.selected, let cameras = new.cameras {
            delegateCalls.call { [self] in
                $0.studioController(self, camerasDidChange: cameras, selected: new.selected)
            }
        }
        if new.controls != old.controls, let controls = new.controls {
            delegateCalls.call { [self] in $0.studioController(self, controlsDidChange: controls) }
        }
    }

    /// Another producer, or none.
    func forgetCameras() {
        playbackIsLost()
        forgetTalk()
        remoteCameras.send(RemoteCameras())
        producerCapabilities.send(nil)
        producerStatistics.withLock { $0 = nil }
    }
}
