internal import Confinement
internal import FoundationEssentials
internal import MediaCore
internal import TransportCore

/// Recording here, beside or instead of studios that watch.
extension ProducerController {
    /// Begins to record picture and sound into an MP4 file, as studios are sent them in the producer's own definition; the
    /// camera is open meanwhile. A file of that name that is not empty is kept as `FILE~`.
    ///
    /// A picture of another size begins another file, `name-2.mp4`, and so does a limit. Each is one of ``recordings`` once
    /// it has ended. Ended by ``stopRecording()`` or ``stop()``; ``pause()`` holds for it, too.
    ///
    /// - Parameters:
    ///   - path: Nil: the user's videos folder (`XDG_VIDEOS_DIR`), named by device and time. The delegate is told.
    ///   - hasSound: Sound is recorded too, where the producer has any.
    ///   - limits: Of each file.
    /// - Throws: ``ProducerError``: `unavailable` (stopped), `busy` (it records already), `exists`, `noPermission`,
    ///   `cannotWrite`.
    public func startRecording(
        to path: String? = nil, hasSound: Bool = true, limits: RecordingLimits = .none
    ) throws {
        guard let service else {
            throw ProducerError(.unavailable, "cannot record: the producer is stopped; start it first")
        }
        let path = try Self.absolute(path ?? freePath())
        try service.startRecording(to: path, hasSound: hasSound, limits: limits)
        calls.call { [self] in $0.producerController(self, didStartRecordingTo: path) }
    }

    /// Writes what has come until now and finishes the file: within two seconds. Does nothing where nothing is recorded.
    public func stopRecording() { service?.stopRecording() }

    /// What this installation's producers have recorded and what is still there, the oldest first; not what is being
    /// recorded. Reads files.
    public var recordings: [Recording] { (try? installation().shelf.recordings) ?? [] }

    /// Where a recording is; nil: there is none of that ID.
    public func path(of recording: Recording.ID) -> String? { (try? installation().shelf.paths[recording]) ?? nil }

    private func freePath() throws(ProducerError) -> String {
        do throws(MediaError) {
            return try RecordingName.path(for: deviceName, at: Int(Date().timeIntervalSince1970))
        } catch {
            throw ProducerError(recording: error)
        }
    }

    /// So that a program that changes its directory finds its recordings.
    private static func absolute(_ path: String) -> String {
        path.hasPrefix("/") ? path : FileManager.default.currentDirectoryPath + "/" + path
    }
}

extension ProducerService {
    func startRecording(to path: String, hasSound: Bool, limits: RecordingLimits) throws(ProducerError) {
        let told = Locked<Set<Recording.ID>>([])
        let viewer = try recorder.withLock { recorder throws(ProducerError) in
            guard recorder == nil else {
                throw ProducerError(.busy, "a recording is under way; stop it first")
            }
            let made = try RecordingViewer(
                path, limits: limits, hasSound: hasSound && self.hasSound, from: pipeline,
                events: RecordingViewer.Events(
                    fileDidChange: { [weak self] file in
                        guard let (recording, path) = self?.note(file),
                            told.withLock({ $0.insert(recording.id).inserted })
                        else { return }
                        self?.owner?.didRecord(recording, path)
                    },
                    didEnd: { [weak self] in self?.recordingDidEnd($0) }))
            recorder = made
            return made
        }
        viewer.begin()
    }

    func stopRecording() {
        guard let recorder = recorder.withLock({ $0 }) else { return }
        recorder.stop()
        recorder.waitForEnd()
    }

    /// On the recording's thread.
    private func note(_ file: Recorder.File) -> (Recording, String)? {
        do throws(ProducerError) {
            return try shelf.note(file).map { ($0, file.path) }
        } catch {
            owner?.didReport("\(file.path) is recorded, but studios will not find it: \(error.message)")
            return nil
        }
    }

    private func recordingDidEnd(_ summary: Recorder.Summary) {
        recorder.withLock { $0 = nil }
        for (path, reason) in summary.notRewritten {
            owner?.didReport("\(path) plays, but its index is not in front: \(reason)")
        }
        owner?.recordingDidEnd(summary.failure.map { ProducerError(recording: $0) })
    }
}

extension ProducerController {
    func didRecord(_ recording: Recording, _ path: String) {
        calls.call { [self] in $0.producerController(self, didRecord: recording, to: path) }
    }

    func recordingDidEnd(_ error: ProducerError?) {
        calls.call { [self] in $0.producerController(self, didStopRecordingWith: error) }
    }
}
