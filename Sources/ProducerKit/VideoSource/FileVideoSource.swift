internal import Confinement
internal import MediaCore

/// A clip as a ``VideoSource``: its pictures, and its sound, come when their time in the clip has come.
///
/// Whatever FFmpeg reads that carries pictures itself: MP4, MOV, Matroska, AVI, MPEG-TS, Ogg and others, but no
/// playlists. Pictures come upright, with square pixels and even sides, in I420, which is what the encoder takes; sound as
/// 48 kHz stereo float. Nothing is read ahead of its time.
///
/// It plays until it ends, is stopped, or is let go of.
///
/// Unchecked as every subclass has to be: it has constants, and state behind locks.
public final class FileVideoSource: ObservableVideoSource, @unchecked Sendable {
    public let path: String
    /// Of the pictures that come.
    public let size: PixelSize
    /// Pictures per second, as the file says; the times of the pictures say what is true.
    public let framesPerSecond: Double
    /// Nil where the file does not tell.
    public let duration: Microseconds?
    public let hasSound: Bool
    private let clock: any MonotonicClock
    private let sleep: ClipPlayer.Sleep?
    private let thread = SourceThread()
    private let state: Locked<State>

    private struct State {
        var loops: Bool
        /// Where the next start begins.
        var place: Microseconds?
        /// While it plays.
        var player: ClipPlayer?
    }

    /// Looks into the file; it is played by ``start()``.
    ///
    /// - Parameters:
    ///   - path: Of a file on this machine.
    ///   - loops: Whether it begins again at its end, without a gap.
    /// - Throws: ``ProducerError``: there is no such file, it may not be read, it is no media file, it has no pictures, or
    ///   they are of a kind that cannot be decoded.
    public convenience init(path: String, loops: Bool = false) throws {
        try self.init(path: path, loops: loops, clock: SystemClock(), sleep: nil)
    }

    init(path: String, loops: Bool, clock: any MonotonicClock, sleep: ClipPlayer.Sleep?) throws(ProducerError) {
        do throws(MediaError) {
            let file = try MediaFile(path: path)
            (size, framesPerSecond) = (file.size, file.framesPerSecond)
            (duration, hasSound) = (file.duration, file.hasSound)
        } catch {
            throw ProducerError(error)
        }
        (self.path, self.clock, self.sleep) = (path, clock, sleep)
        state = Locked(State(loops: loops))
        super.init()
    }

    deinit { state.withLock { $0.player }?.stop() }

    /// Whether it plays: started, not stopped, and not at its end.
    public var isPlaying: Bool { state.withLock { $0.player != nil } }

    /// Whether it begins again at its end; may be changed while it plays. A damaged file goes round as well, as long as
    /// there is a picture in it.
    public var loops: Bool {
        get { state.withLock { $0.loops } }
        set {
            let player = state.withLock { state in
                state.loops = newValue
                return state.player
            }
            player?.setLoops(newValue)
        }
    }

    /// Plays from the beginning, or from where ``seek(to:)`` was told. Does nothing while it plays. At the end observers
    /// are told: `videoSource(_:didEndWith:)`, with an error where the file is damaged, after all that could be decoded.
    ///
    /// - Throws: ``ProducerError`` when this process has no descriptors or threads left.
    public func start() throws {
        let player = try state.withLock { state throws(ProducerError) -> ClipPlayer? in
            guard state.player == nil else { return nil }
            guard let player = ClipPlayer(path: path, loops: state.loops, clock: clock, sleep: sleep) else {
                throw .noDescriptors(for: path)
            }
            if let place = state.place { player.seek(to: place) }
            (state.player, state.place) = (player, nil)
            return player
        }
        guard let player else { return }
        do throws(ProducerError) {
            // Held only while it tells of something: whoever lets go of a source ends it.
            try thread.start("file source", for: path, end: player.stop) { [weak self] in
                let outcome = Result { () throws(MediaError) in try player.play { self?.tell(of: $0) } }
                self?.hasPlayed(player, outcome)
            }
        } catch {
            hasEnded(player)
            throw error
        }
    }

    /// Ends at once; nothing comes afterwards, and nobody is told of an end. Does nothing while it does not play.
    public func stop() {
        let player = state.withLock { state in
            defer { state.player = nil }
            return state.player
        }
        player?.stop()
        _ = thread.stop()
    }

    /// Goes to `time`, from the clip's beginning: the next picture is the one that is to be seen at that time, and it
    /// comes at once. Past the end it is the last one. While it does not play, the next start begins there.
    public func seek(to time: Microseconds) {
        let player = state.withLock { state in
            if state.player == nil { state.place = time }
            return state.player
        }
        player?.seek(to: time)
    }

    // MARK: The source's thread

    private func tell(of item: MediaFile.Item) {
        switch item {
        case .picture(let picture):
            let sample = VideoSample(picture)
            notify { $0.videoSource(self, didOutput: sample) }
        case .sound(let sound): notify { $0.videoSource(self, didOutput: sound) }
        }
    }

    private func hasPlayed(_ player: ClipPlayer, _ outcome: Result<ClipPlayer.Outcome, MediaError>) {
        let error: ProducerError?
        switch outcome {
        case .success(.stopped): return
        case .success(.ended(let damage)):
            error = damage.map { ProducerError(.badData, "\($0); copy or record it again") }
        case .failure(let failure): error = ProducerError(failure)
        }
        // Before it is told: an observer may start it again.
        guard hasEnded(player) else { return }
        notify { $0.videoSource(self, didEndWith: error) }
    }

    /// False when it was stopped, or started anew, meanwhile.
    @discardableResult
    private func hasEnded(_ player: ClipPlayer) -> Bool {
        state.withLock { state in
            guard state.player === player else { return false }
            state.player = nil
            return true
        }
    }
}
