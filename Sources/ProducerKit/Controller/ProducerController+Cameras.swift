internal import Confinement
internal import Glibc
internal import MediaCore

extension ProducerController {
    /// Something that a studio wants of the producer beside picture and sound. An open set: a `switch` needs a default.
    public struct Action: RawRepresentable, Hashable, Sendable {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// Choosing another camera, or setting one of its controls.
        public static let remoteControl = Action(rawValue: "remoteControl")
        /// Seeing which recordings there are, and playing one.
        public static let recordings = Action(rawValue: "recordings")
        /// Speaking on the loudspeaker: ``ProducerController/speaker``.
        public static let talk = Action(rawValue: "talk")
    }

    /// A controller whose picture is a camera's: opened when a studio watches, closed when none does.
    ///
    /// - Parameters:
    ///   - configuration: Its `pictureSize` and `framesPerSecond` are what the camera is asked for; the nearest that it
    ///     has is taken, and of pictures that come faster some are left out.
    ///   - camera: A device node, a stable ID or a name; nil: the first camera.
    ///   - microphone: What ALSA calls it, such as `default`; nil: no sound but what is enqueued.
    /// - Throws: ``ProducerError`` when there is no such camera, or it is no camera.
    public convenience init(
        configuration: ProducerConfiguration = .default, camera: String?, microphone: String? = nil
    ) throws {
        let picture = try CameraSource(
            camera, size: configuration.pictureSize, framesPerSecond: configuration.framesPerSecond,
            passesCoded: false)
        let sound = microphone.map { MicrophoneSource($0) }
        self.init(configuration: configuration, sources: [picture] + [sound].compactMap { $0 })
    }

    /// The cameras that can be chosen; none where the source is no camera of this computer. The first call looks, which
    /// may take a moment; later changes are told to the delegate.
    public var cameras: [Camera] { desk?.now.cameras ?? [] }

    /// The camera in use, open or not.
    public var selectedCamera: Camera.ID? { desk?.now.selected }

    /// What can be set on the camera in use. The first call looks, which may take a moment; later changes, whoever makes
    /// them, are told to the delegate.
    public var controls: [CameraControl] { desk?.now.controls ?? [] }

    /// Takes the picture from another camera, at the size nearest to the one in use. While somebody watches, the old
    /// camera is shown until the new one's first picture is there, and a keyframe follows; sound goes on.
    ///
    /// - Throws: ``ProducerError``: there is no such camera, or it delivers no picture; the old one stays.
    public func selectCamera(_ id: Camera.ID) async throws {
        let desk = try requireDesk()
        try await withCheckedContinuation { continuation in
            desk.select(id) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Sets a control of the camera in use by hand; an automatic mode that sees to it is switched off first.
    ///
    /// - Parameters:
    ///   - id: One of ``controls``, such as `exposure_time_absolute`.
    ///   - value: Within its range.
    /// - Throws: ``ProducerError`` `notFound` (no such control), `outOfRange`, `notSettable`, or what hindered it.
    public func setControl(_ id: CameraControl.ID, to value: Int64) async throws {
        let desk = try requireDesk()
        try await withCheckedContinuation { continuation in
            desk.set(id, to: value) { continuation.resume(returning: $0) }
        }.get()
    }

    /// How brightly the camera's torch shines: 0, off, to 1; nil where it has none.
    public var torchLevel: Double? { CameraLamp(controls)?.torchLevel }

    /// Switches the torch of the camera in use on or off.
    ///
    /// - Parameter level: 0, off, to 1; the nearest that there is.
    /// - Throws: ``ProducerError`` `notFound` (it has no torch), `outOfRange`, or what hindered it.
    public func setTorch(_ level: Double) async throws {
        guard (0...1).contains(level) else { throw ProducerError(.outOfRange, "a torch takes 0 to 1, not \(level)") }
        let settings = CameraLamp(controls)?.settings(torch: level) ?? []
        guard !settings.isEmpty else { throw ProducerError(.notFound, "the camera has no torch") }
        for setting in settings { try await setControl(setting.control, to: setting.value) }
    }

    /// What the camera in use can judge by one point of its picture. Few drivers let it be told; then there is nothing.
    public var pointsOfInterest: Set<PointOfInterest> { desk?.now.points ?? [] }

    /// Has the camera judge its exposure or focus by the surroundings of a point; its automatic mode has to be on.
    ///
    /// - Parameters:
    ///   - interest: Exposure or focus: one of ``pointsOfInterest``.
    ///   - point: In the picture as studios get it: turned and mirrored.
    /// - Throws: ``ProducerError`` `notFound` where it is none of ``pointsOfInterest``, or what hindered it.
    public func aim(_ interest: PointOfInterest, at point: PicturePoint) async throws {
        let desk = try requireDesk()
        let place = point.beforeTurning(by: configuration.rotation, isMirrored: configuration.isMirrored)
        try await withCheckedContinuation { continuation in
            desk.aim(interest, at: place) { continuation.resume(returning: $0) }
        }.get()
    }

    /// Takes one picture, turned and mirrored as the stream is: while somebody watches, the stream's next one; else at
    /// the camera's best size, once its exposure has settled, which takes a second or two.
    ///
    /// - Parameter withFlash: The camera's lamp lights it (`CameraLamp`), and then is as it was before.
    /// - Returns: I420, in memory of its own.
    /// - Throws: ``ProducerError``: the camera cannot be opened, or sends nothing; `notFound` where a lamp is wanted that
    ///   it does not have.
    public func takePhoto(withFlash: Bool = false) async throws -> VideoFrame {
        let desk = try requireDesk()
        let frame = try await withCheckedContinuation { continuation in
            desk.takePhoto(withFlash: withFlash) { continuation.resume(returning: $0) }
        }.get()
        return try finished(frame)
    }

    /// Takes one picture and writes it as PNG or JPEG, as the name ends: whole or not at all.
    ///
    /// - Parameters:
    ///   - path: Where to; `.png`, `.jpg` or `.jpeg`.
    ///   - replacesExisting: Otherwise a file of that name is kept, and nothing is taken.
    ///   - withFlash: The camera's lamp lights it.
    /// - Returns: The picture's size.
    /// - Throws: ``ProducerError``: as ``takePhoto(withFlash:)``, `exists`, or the file cannot be written.
    @discardableResult
    public func takePhoto(
        to path: String, replacesExisting: Bool = false, withFlash: Bool = false
    ) async throws -> PixelSize {
        guard Snapshot.Format(path: path) != nil else {
            throw ProducerError(.invalidArgument, "\(path): the name of a photo ends in .png, .jpg or .jpeg")
        }
        // Seen again when it is written; here it spares a camera that is opened in vain.
        guard replacesExisting || access(path, F_OK) != 0 else {
            throw ProducerError(.exists, "\(path) exists and is kept; choose another name")
        }
        let frame = try await takePhoto(withFlash: withFlash)
        do throws(MediaError) {
            try Snapshot.write(frame, to: path, replacesExisting: replacesExisting)
        } catch {
            throw ProducerError(writing: error)
        }
        return frame.size
    }

    private func finished(_ frame: VideoFrame) throws(ProducerError) -> VideoFrame {
        let rotation = FrameConverter.Rotation(rawValue: configuration.rotation) ?? .none
        let size = FrameConverter.outputSize(for: frame.size, rotation: rotation, within: .maximum)
        do throws(MediaError) {
            let picture = try FrameConverter(size: size, rotation: rotation, isMirrored: configuration.isMirrored)
                .convert(frame)
            // A picture in I420 was not copied on the way, and its memory is the driver's.
            return try frame.format == .i420 ? picture.copied() : picture
        } catch {
            throw ProducerError(error)
        }
    }

    private func requireDesk() throws(ProducerError) -> CameraDesk {
        guard let desk else {
            throw ProducerError(.unavailable, "this producer's source is no camera that could be chosen or set")
        }
        return desk
    }

    // MARK: What the service needs

    /// Asks the delegate on its queue, in the order of the calls; nobody there is no.
    func allows(_ action: Action, from peer: Peer, _ answer: @escaping @Sendable (Bool) -> Void) {
        calls.decide(
            { [self] in $0.producerController(self, allows: action, from: peer) }, { answer($0 ?? false) })
    }

    func camerasDidChange(from old: CameraDesk.Known, to new: CameraDesk.Known) {
        if old.cameras != new.cameras || old.selected != new.selected {
            calls.call { [self] in
                $0.producerController(self, camerasDidChange: new.cameras, selected: new.selected)
            }
        }
        if old.controls != new.controls {
            calls.call { [self] in $0.producerController(self, controlsDidChange: new.controls) }
        }
        service?.camerasDidChange(from: old, to: new)
    }
}
