package import CamoTypes
internal import Confinement
package import WireProtocol

/// What came of offering a picture to a viewer.
package enum PictureOffer: Hashable, Sendable {
    case sent
    /// The last picture is not out yet. This viewer needs a keyframe before it can go on.
    case behind
    /// The viewer has skipped a picture, or has just come: only a keyframe is of use to it.
    case waitingForKeyframe
    /// Not linked, paused, muted, or no stream of pictures was begun.
    case notWatching
}

/// One session of one studio, as the producer sees it: survives the link it came on.
///
/// Everything may be called from any thread and never blocks. What goes out is queued on the link's outbox, one picture
/// at most; the choice what goes next is the link's.
package final class Viewer: Sendable {
    /// Unique in this process.
    package let id: UInt64
    package let session: SessionID
    /// What it will be sent unless it asks for another.
    private let definition: Definition?
    let state: Locked<ViewerState>
    private let clock: any MonotonicClock
    /// Pictures go out on another link now. Called by whoever offered one.
    private let didMove: @Sendable (Viewer) -> Void

    init(
        id: UInt64, session: SessionID, peer: Peer, subscription: Subscription, definition: Definition?,
        clock: any MonotonicClock, didMove: @escaping @Sendable (Viewer) -> Void
    ) {
        self.id = id
        self.didMove = didMove
        self.definition = definition
        self.session = session
        self.clock = clock
        state = Locked(ViewerState(peer: peer, subscription: subscription))
    }

    // MARK: Who and what

    package var peer: Peer { state.withLock { $0.peer } }
    package var subscription: Subscription { state.withLock { $0.subscription } }
    package var isPaused: Bool { state.withLock { $0.isPaused } }
    package var connection: Connection {
        state.withLock {
            Connection(
                id: id, peer: $0.peer, isPaused: $0.isPaused, isPictureMuted: $0.muted.contains(.video),
                isSoundMuted: $0.muted.contains(.audio),
                definition: $0.picture?.format.definition ?? $0.subscription.definition ?? definition)
        }
    }

    /// Of the pictures that are sent; nil while none are.
    package var resolution: PixelSize? { state.withLock { $0.picture?.format.size } }

    /// Subscribed to pictures, not paused, not muted.
    package var wantsPicture: Bool { state.withLock { $0.wantsPicture } }
    /// Subscribed to sound, not paused, not muted.
    package var wantsSound: Bool { state.withLock { $0.wantsSound } }

    /// Linked, watching, and its last picture is out.
    package var isReadyForPicture: Bool {
        state.withLock { state in
            guard state.wantsPicture, let link = state.nextLink ?? state.link else { return false }
            return !link.isPictureUnderWay
        }
    }

    package var metrics: ViewerMetrics {
        let (link, skipped, report) = state.withLock { ($0.link, $0.skippedPictures, $0.report) }
        let pipe = link?.secure.metrics()
        return ViewerMetrics(
            unsentBytes: pipe?.unsentByteCount, roundTrip: pipe?.roundTrip, leastRoundTrip: pipe?.leastRoundTrip,
            deliveryBitsPerSecond: pipe?.deliveryBitsPerSecond, sentBytes: link?.sentByteCount ?? 0,
            pictureAge: link?.pictureAge ?? .zero, report: report, skippedPictures: skipped)
    }

    // MARK: Pictures

    /// Announces a stream of pictures; the first unit that goes out on it is a keyframe. Ends the stream before it.
    package func beginPicture(_ format: VideoStreamFormat) {
        state.withLock { if !$0.isGone, $0.playback == nil { $0.beginPicture(format) } }
    }

    /// How the camera sees, from the picture of `time` on, which is offered next; nil: not known. Told where it is new.
    package func tellCamera(_ parameters: CameraParameters?, since time: MonotonicTime) {
        state.withLock { state in
            guard !state.isGone, state.playback == nil, state.camera.parameters != parameters else { return }
            state.camera = (parameters, time)
            state.announceCamera()
        }
    }

    /// What moves in a picture that was offered. Left out where nobody wants it, or the link is behind.
    package func tell(_ motion: DetectedMotion) {
        state.withLock { state in
            guard state.wantsPicture, state.subscription.metadata, !state.isGone, let link = state.link,
                !link.isPictureUnderWay || motion.regions.isEmpty
            else { return }
            link.send(.movement(Movement(time: motion.time, regions: motion.regions)))
        }
    }

    package func endPicture() { state.withLock { if $0.playback == nil { $0.endPicture() } } }

    /// Hands over a coded picture; `number` counts the pictures of the encode, sent or not.
    package func offerPicture(_ unit: AccessUnit, number: UInt32) -> PictureOffer {
        let (offer, left) = state.withLock { state -> (PictureOffer, SessionLink?) in
            guard state.wantsPicture, state.picture != nil else { return (.notWatching, nil) }
            let left = unit.isKeyframe ? state.moveToNextLink() : nil
            return (state.offer(unit, number: number), left)
        }
        if let left {
            left.close(Goodbye(.moved))
            didMove(self)
        }
        return offer
    }

    // MARK: Sound

    /// Announces a stream of sound. Ends the stream before it.
    package func beginSound(_ format: AudioStreamFormat) {
        state.withLock { if !$0.isGone, $0.playback == nil { $0.beginSound(format) } }
    }

    package func endSound() { state.withLock { if $0.playback == nil { $0.endSound() } } }

    package func offerSound(_ unit: AccessUnit, number: UInt32) {
        state.withLock { if $0.wantsSound { $0.send(sound: unit, number: number) } }
    }

    // MARK: Talk

    /// What it says is taken.
    package internal(set) var mayTalk: Bool {
        get { state.withLock { $0.mayTalk && !$0.isGone } }
        set { state.withLock { $0.mayTalk = newValue } }
    }

    /// Nothing of what it says is taken any more. False where nothing was taken before.
    @discardableResult
    package func endTalk() -> Bool {
        state.withLock { state in
            defer { state.mayTalk = false }
            return state.mayTalk
        }
    }

    /// Its session is on this link now.
    func isOn(_ link: SessionLink) -> Bool { state.withLock { $0.link === link } }

    // MARK: Control

    package func send(_ message: ControlMessage) {
        state.withLock { state in (state.nextLink ?? state.link)?.send(message) }
    }

    // MARK: What the endpoint does

    /// The session has a link, or another one. True when pictures have to begin anew with a keyframe for it.
    func attach(_ link: SessionLink, peer: Peer, subscription: Subscription) -> Bool {
        let (left, needsKeyframe) = state.withLock { state -> (SessionLink?, Bool) in
            state.subscription = subscription
            let left = state.nextLink
            (state.nextLink, state.nextPeer) = (link, peer)
            // Without a link, or without pictures under way, there is nothing to wait for.
            if state.link == nil || state.picture == nil || !state.wantsPicture {
                return (state.moveToNextLink() ?? left, state.wantsPicture)
            }
            return (left, true)
        }
        left?.close(Goodbye(.moved))
        return needsKeyframe
    }

    /// `link` is gone. True when the session has no link any more.
    func detach(_ link: SessionLink) -> Bool {
        state.withLock { state in
            if state.nextLink === link { (state.nextLink, state.nextPeer) = (nil, nil) }
            if state.link === link {
                state.link = nil
                _ = state.moveToNextLink()
            }
            return state.link == nil
        }
    }

    /// Ends the session: `goodbye` on its links. Nothing is sent afterwards.
    func leave(_ goodbye: Goodbye) {
        let links = state.withLock { state in
            state.isGone = true
            defer { (state.link, state.nextLink) = (nil, nil) }
            return [state.link, state.nextLink]
        }
        for link in links { link?.close(goodbye) }
    }

    func update(subscription: Subscription) { state.withLock { $0.subscription = subscription } }
    func update(definition: Definition?) { state.withLock { $0.subscription.definition = definition } }
    func update(paused: Bool) { changeWhatIsSent { $0.isPaused = paused } }
    func update(_ kind: Mute.Kind, muted: Bool) {
        changeWhatIsSent { state in
            if muted { state.muted.insert(kind) } else { state.muted.remove(kind) }
        }
    }
    func update(report: Report) { state.withLock { $0.report = report } }

    /// Pictures that were not sent leave a gap: the next one sent must be a keyframe.
    private func changeWhatIsSent(_ change: (inout ViewerState) -> Void) {
        state.withLock { state in
            change(&state)
            if !state.wantsPresentPicture { state.picture?.needsKeyframe = true }
        }
    }

    /// Cuts the link without a word, as a cable would: for tests.
    func breakLink() { state.withLock { $0.link }?.close() }

    /// The session was ended, by either end.
    package var hasLeft: Bool { state.withLock { $0.isGone } }

    /// The viewer's picture stream waits for a keyframe.
    var needsKeyframe: Bool { state.withLock { $0.wantsPicture && $0.picture?.needsKeyframe ?? false } }
}
