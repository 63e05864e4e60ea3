internal import Confinement
internal import Glibc
internal import MediaCore

extension StudioController {
    /// How long to wait for a picture of a producer that has been reached already or not yet.
    private static let snapshotTime = Microseconds.seconds(Int64(10))

    // MARK: Pictures

    /// Decoded pictures, from now on: a new stream at each access, so take it once and keep it.
    ///
    /// A reader that is slow finds the newest picture. Pictures are decoded only while somebody reads them.
    public var frames: AsyncStream<ReceivedFrame> { FrameStream.make(in: pipeline) }

    /// One picture, taken by the camera after this call if there is one. Black ones, such as a camera gives while it
    /// warms up, are passed over for a while.
    ///
    /// - Throws: ``StudioError/Code/timedOut`` when none comes within ten seconds.
    public func snapshot() async throws -> ReceivedFrame {
        do throws(StudioError) {
            let frame = try await takeSnapshot()
            delegateCalls.call { [self] in $0.studioController(self, didTakeSnapshot: frame) }
            return frame
        } catch {
            delegateCalls.call { [self] in $0.studioController(self, didFailToTakeSnapshot: error) }
            throw error
        }
    }

    /// Writes one picture as PNG or JPEG, as the name ends. A file of that name is replaced once the new one is whole.
    @discardableResult
    public func snapshot(to path: String) async throws -> ReceivedFrame {
        try await snapshot(to: path, thumbnail: nil)
    }

    /// Also writes the picture scaled down to lie within `thumbnail`, beside the other: `photo.png` and
    /// `photo-thumbnail.png`.
    @discardableResult
    public func snapshot(to path: String, thumbnail: PixelSize?) async throws -> ReceivedFrame {
        do throws(StudioError) {
            // What is wrong with the name is said before anything is waited for.
            guard Snapshot.Format(path: path) != nil else {
                throw StudioError(.unsupported, "\(path): the name of a snapshot ends in .png, .jpg or .jpeg")
            }
            let frame = try await takeSnapshot()
            let written = await offThread { () -> Result<Void, MediaError> in
                Result { () throws(MediaError) in
                    try Snapshot.write(frame.picture, to: path, replacesExisting: true)
                    if let thumbnail {
                        try Snapshot.write(
                            frame.picture, to: Self.thumbnailPath(for: path), thumbnail: thumbnail,
                            replacesExisting: true)
                    }
                }
            }
            if case .failure(let error) = written { throw StudioError(error) }
            delegateCalls.call { [self] in $0.studioController(self, didTakeSnapshot: frame) }
            return frame
        } catch {
            delegateCalls.call { [self] in $0.studioController(self, didFailToTakeSnapshot: error) }
            throw error
        }
    }

    /// Where ``snapshot(to:thumbnail:)`` puts the smaller picture.
    public static func thumbnailPath(for path: String) -> String {
        guard let dot = path.lastIndex(of: ".") else { return path + "-thumbnail" }
        return path[..<dot] + "-thumbnail" + path[dot...]
    }

    private func takeSnapshot() async throws(StudioError) -> ReceivedFrame {
        _ = try opened()
        guard let frame = await SnapshotTaker.take(from: pipeline, clock: clock, limit: Self.snapshotTime) else {
            throw StudioError(.timedOut, "no picture came within \(Int(Self.snapshotTime.inSeconds)) seconds")
        }
        return frame
    }

    // MARK: Recording

    /// Begins to record picture and sound into an MP4 file; the file begins with the next keyframe. A file of that name
    /// that is not empty is kept as `FILE~`.
    ///
    /// Goes on over reconnections. A picture of another size begins another file, `name-2.mp4`, and so does a limit.
    ///
    /// - Parameters:
    ///   - path: Nil: the user's videos folder (`XDG_VIDEOS_DIR`), named by device and time. The delegate is told.
    ///   - hasSound: Sound is recorded too, where the producer has any.
    ///   - limits: Of each file.
    public func startRecording(
        to path: String? = nil, hasSound: Bool = true, limits: RecordingLimits = .none
    ) async throws {
        do throws(StudioError) {
            let path = if let path { path } else { try freePath() }
            guard try opened().recording == nil else {
                throw StudioError(.busy, "a recording is under way; stop it first")
            }
            let made = await offThread { [weak self] () -> Result<RecordingOutput, StudioError> in
                Result { () throws(StudioError) in
                    try RecordingOutput(
                        path: path, hasSound: hasSound, limits: limits,
                        expectsSound: { [weak self] in
                            self?.expectsSound ?? true
                        },
                        onFailure: { [weak self] error in self?.recordingFailed(error) })
                }
            }
            let recording = try made.get()
            let isTaken = open.withLock { open in
                guard open != nil, open?.recording == nil else { return false }
                open?.recording = recording
                return true
            }
            guard isTaken else {
                _ = await recording.finish(within: .seconds(Int64(1)))
                throw StudioError(.busy, "another recording was begun meanwhile, or the studio was stopped")
            }
            pipeline.add(recording)
            updateSubscription()
            delegateCalls.call { [self] in $0.studioController(self, didStartRecordingTo: path) }
        } catch {
            delegateCalls.call { [self] in $0.studioController(self, didFailToStartRecording: error) }
            throw error
        }
    }

    private func freePath() throws(StudioError) -> String {
        do throws(MediaError) {
            return try RecordingName.path(for: nameForRecording, at: time(nil))
        } catch {
            throw StudioError(error)
        }
    }

    /// Of the producer that is watched, or of the only one that may be.
    private var nameForRecording: String {
        switch state {
        case .connected(let connection): return connection.peer.name
        default: break
        }
        let producers = pairedDevices.filter { $0.role == .producer }
        return producers.count == 1 ? producers[0].name : "Camera"
    }

    /// Writes what has come until now and finishes the file. A disk that is too slow for that within ten seconds loses
    /// the rest, which the summary tells.
    @discardableResult
    public func stopRecording() async throws -> RecordingSummary {
        // Sound that has come and is being decoded belongs to it.
        await offThread { [pipeline] in pipeline.waitUntilIdle() }
        let recording = open.withLock { open in
            defer { open?.recording = nil }
            return open?.recording
        }
        guard let recording, let summary = await finish(recording, within: .seconds(Int64(10))) else {
            let error = StudioError(.notRunning, "nothing is being recorded")
            delegateCalls.call { [self] in $0.studioController(self, didFailToStopRecording: error) }
            throw error
        }
        return summary
    }

    /// Takes the recording out of the pipeline and finishes its file.
    ///
    /// - Parameters:
    ///   - recording: Nothing is done for nil.
    ///   - limit: For what waits to be written, and for the file's index.
    func finish(
        _ recording: RecordingOutput?, within limit: Microseconds = .milliseconds(1_500)
    ) async -> RecordingSummary? {
        guard let recording else { return nil }
        pipeline.remove(recording)
        updateSubscription()
        let summary = await recording.finish(within: limit)
        delegateCalls.call { [self] in $0.studioController(self, didStopRecording: summary) }
        return summary
    }

    /// The disk is full, say: the recording ends, everything else goes on. On the recording's thread.
    private func recordingFailed(_ error: StudioError) {
        let recording = open.withLock { open in
            defer { open?.recording = nil }
            return open?.recording
        }
        if let recording { Task { await finish(recording) } }
    }

    // MARK: Other outputs

    package func add(_ output: any StudioOutput) {
        pipeline.add(output)
        updateSubscription()
    }

    package func remove(_ output: any StudioOutput) {
        pipeline.remove(output)
        updateSubscription()
    }
}
