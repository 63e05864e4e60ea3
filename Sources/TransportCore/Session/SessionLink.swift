internal import CamoTypes
internal import Confinement
internal import Dispatch
internal import WireProtocol

/// Whoever a ``SessionLink`` works for: an endpoint, before and after `welcome`. All calls come on the link's queue.
protocol SessionLinkOwner: AnyObject, Sendable {
    /// TLS stands; the other end's key is proven.
    func sessionLink(_ link: SessionLink, didConnect peer: DeviceID)
    /// A control message other than `ping` and `pong`, which the link answers itself.
    func sessionLink(_ link: SessionLink, didReceive message: ControlMessage)
    /// A whole unit of picture or sound.
    func sessionLink(_ link: SessionLink, didReceive unit: AssembledUnit, type: PacketType, stream: UInt16)
    /// The picture's last packet is out, and the link can take more.
    func sessionLinkDidTakePicture(_ link: SessionLink)
    /// A second of silence: the session should get a second link.
    func sessionLinkIsSilent(_ link: SessionLink)
    /// Four times a second while the link is up: deadlines are checked here.
    func sessionLink(_ link: SessionLink, tickAt now: MonotonicTime)
    /// Once, last.
    func sessionLink(_ link: SessionLink, didCloseWith error: (any Error)?)
}

/// Packets over one TLS link: parses what comes, picks what goes next, keeps the heartbeat, maps the clock.
///
/// Knows no session: the same object serves both ends, before and after `welcome`, in streaming and in pairing.
/// Sending is possible from any thread and never blocks; everything heard is told on the link's own queue.
final class SessionLink: SecureLinkDelegate, Sendable {
    let id: UInt64
    let secure: SecureLink
    let clock: any MonotonicClock
    /// The other end's clock; shared by the links of one session.
    let clockMapping: Locked<ClockMapping>
    private let outbox = Locked(Outbox())
    private let incoming: Confined<Incoming>
    private let established = Locked(false)
    /// Left when the link has closed and its owner has been told.
    private let closing = DispatchGroup()

    /// What belongs to the receiving side; reached on the link's queue only.
    private struct Incoming {
        /// Held until the link has closed: the link lives as long as somebody has to hear of its end.
        var owner: (any SessionLinkOwner)?
        var parser = PacketParser()
        var control = UnitAssembler(type: .control, stream: 0)
        var streams: [UInt16: UnitAssembler] = [:]
        /// Bytes still allowed before `welcome`; nil after it.
        var allowance: Int? = Limits.byteCountBeforeWelcome
        var heartbeat: Heartbeat?
        var timer: (any DispatchSourceTimer)?
        var failure: (any Error)?
        var isClosed = false
    }

    private static let numbers = Locked<UInt64>(0)

    init(_ secure: SecureLink, clock: any MonotonicClock, clockMapping: Locked<ClockMapping>) {
        id = Self.numbers.withLock { number in
            number += 1
            return number
        }
        self.secure = secure
        self.clock = clock
        self.clockMapping = clockMapping
        incoming = Confined(on: secure.queue, Incoming())
        closing.enter()
    }

    /// Waits until the link has closed and its owner has been told. Not on the link's queue.
    func waitUntilClosed(deadline: DispatchTime) { _ = closing.wait(timeout: deadline) }

    /// Starts TLS. `owner` is held until it has heard `didCloseWith`.
    func start(owner: any SessionLinkOwner) {
        incoming.async { [self] state in
            state.owner = owner
            let timer = DispatchSource.makeTimerSource(queue: incoming.queue)
            timer.schedule(
                deadline: .now() + .milliseconds(250), repeating: .milliseconds(250), leeway: .milliseconds(25))
            timer.setEventHandler { [weak self] in self?.tick() }
            timer.activate()
            state.timer = timer
            secure.start(delegate: self)
        }
    }

    // MARK: Sending; any thread

    func send(_ message: ControlMessage) {
        let fits = outbox.withLock { $0.append(message, at: clock.now) }
        if fits { secure.wake() } else { fail(SessionError.peerDoesNotRead) }
    }

    /// False when the picture before is still under way.
    func start(picture unit: UnitSplitter) -> Bool {
        let isTaken = outbox.withLock { $0.start(picture: unit, at: clock.now) }
        if isTaken { secure.wake() }
        return isTaken
    }

    /// Returns how many units of old sound were dropped for it.
    func send(sound unit: UnitSplitter) -> Int {
        let dropped = outbox.withLock { $0.append(sound: unit, at: clock.now) }
        secure.wake()
        return dropped
    }

    func cutPicture() {
        outbox.withLock { $0.cutPicture() }
        secure.wake()
    }

    func dropSound() {
        outbox.withLock { $0.dropSound() }
        secure.wake()
    }

    var isPictureUnderWay: Bool { outbox.withLock { $0.isPictureUnderWay } }

    /// How long the picture under way has been so.
    var pictureAge: Microseconds {
        let now = clock.now
        return outbox.withLock { $0.isPictureUnderWay ? now - $0.pictureStartedAt : .zero }
    }

    var sentByteCount: UInt64 { outbox.withLock { $0.byteCount } }

    /// Says why and closes as soon as that is out.
    func close(_ goodbye: Goodbye) {
        cutPicture()
        dropSound()
        send(.goodbye(goodbye))
        secure.close(afterSending: true)
    }

    /// Closes at once.
    func close() { secure.close(afterSending: false) }

    private func fail(_ error: any Error) {
        incoming.async { [self] state in
            if state.failure == nil { state.failure = error }
            secure.close(afterSending: false)
        }
    }

    // MARK: The receiving side; the link's queue

    /// `welcome` was sent or received, and the link has not ended. Any thread.
    var isEstablished: Bool { established.withLock { $0 } }

    /// `welcome` was sent or received: the heartbeat begins, and what may arrive is no longer counted.
    func establish() {
        incoming.assumeIsolated { state in
            state.allowance = nil
            state.heartbeat = Heartbeat(now: clock.now)
        }
        established.withLock { $0 = true }
    }

    /// Units of `stream`, which the peer announced, are expected from now on.
    func expect(_ type: PacketType, stream: UInt16) {
        // The studio is the TLS server; odd ids are the producer's.
        let isPeers = stream.isMultiple(of: 2) == (secure.role == .client) && stream != 0
        let error = incoming.assumeIsolated { state -> WireError? in
            guard isPeers else { return WireError(.wrongStream, "\(stream) is no stream id of the other end's") }
            guard state.streams[stream] == nil else { return WireError(.wrongStream, "stream \(stream) is in use") }
            guard state.streams.count < Limits.streamCount else {
                return WireError(.tooManyStreams, "more than \(Limits.streamCount) streams at a time")
            }
            state.streams[stream] = UnitAssembler(type: type, stream: stream)
            return nil
        }
        if let error { refuse(.protocolError(error)) }
    }

    func forget(stream: UInt16) {
        incoming.assumeIsolated { $0.streams[stream] = nil }
    }

    /// Pictures of `stream` cannot be decoded until a keyframe comes.
    func needsKeyframe(stream: UInt16) -> Bool {
        incoming.assumeIsolated { $0.streams[stream]?.needsKeyframe ?? false }
    }

    /// How long nothing was heard; zero before `welcome`.
    func silence(at now: MonotonicTime) -> Microseconds {
        incoming.assumeIsolated { $0.heartbeat?.silence(at: now) } ?? .zero
    }

    private func tick() {
        let now = clock.now
        let (owner, actions) = incoming.assumeIsolated { state in
            (state.isClosed ? nil : state.owner, state.isClosed ? [] : state.heartbeat?.tick(now: now) ?? [])
        }
        guard let owner else { return }
        for action in actions {
            switch action {
            case .sendPing(let id): send(.ping(Ping(id: id)))
            case .dialSecondLink: owner.sessionLinkIsSilent(self)
            case .declareDead: fail(SessionError.silent)
            }
        }
        owner.sessionLink(self, tickAt: now)
    }

    private var owner: (any SessionLinkOwner)? { incoming.assumeIsolated { $0.owner } }

    func secureLinkDidConnect(_ link: SecureLink, peer: DeviceID) {
        owner?.sessionLink(self, didConnect: peer)
    }

    func secureLink(_ link: SecureLink, didReceive bytes: UnsafeRawBufferPointer) {
        do {
            let now = clock.now
            try incoming.assumeIsolated { state throws(SessionError) in
                state.heartbeat?.heard(at: now)
                if let allowance = state.allowance {
                    guard bytes.count <= allowance else {
                        throw .protocolError(WireError(.tooMuchBeforeWelcome, "\(bytes.count) bytes at once"))
                    }
                    state.allowance = allowance - bytes.count
                }
                state.parser.append(bytes)
            }
            // One at a time, and the state is let go in between: the owner comes back for `expect` and `establish`.
            while let event = try nextEvent() { deliver(event, at: now) }
        } catch {
            refuse(error)
        }
    }

    private enum Event: Sendable {
        case message(ControlMessage)
        case unit(AssembledUnit, PacketType, UInt16)
    }

    private func nextEvent() throws(SessionError) -> Event? {
        try incoming.assumeIsolated { state throws(SessionError) in
            do throws(WireError) {
                while !state.isClosed, let packet = try state.parser.next() {
                    let stream = packet.header.stream
                    if packet.header.type == .control {
                        guard let unit = try state.control.accept(packet) else { continue }
                        if let message = try ControlMessage.decode(unit.unit.bytes) { return .message(message) }
                    } else if let unit = try state.streams[stream]?.accept(packet) {
                        return .unit(unit, packet.header.type, stream)
                    }
                }
                return nil
            } catch {
                throw .protocolError(error)
            }
        }
    }

    private func deliver(_ event: Event, at now: MonotonicTime) {
        switch event {
        case .message(.ping(let ping)):
            send(.pong(Pong(id: ping.id, received: now, sent: clock.now)))
        case .message(.pong(let pong)):
            incoming.assumeIsolated { state in
                guard let sample = state.heartbeat?.pongReceived(pong, at: now) else { return }
                clockMapping.withLock { $0.add(sample) }
            }
        case .message(let message): owner?.sessionLink(self, didReceive: message)
        case .unit(let unit, let type, let stream):
            owner?.sessionLink(self, didReceive: unit, type: type, stream: stream)
        }
    }

    /// The peer broke the protocol in what only the owner can judge.
    func refuse(_ error: WireError) { refuse(.protocolError(error)) }

    /// The peer broke the protocol: it is told so, and the link ends.
    private func refuse(_ error: SessionError) {
        incoming.assumeIsolated { state in
            if state.failure == nil { state.failure = error }
            state.isClosed = true
        }
        close(Goodbye(.protocolError))
    }

    func secureLinkNextPacket(_ link: SecureLink) -> [UInt8]? {
        let next = outbox.withLock { $0.next() }
        if next.pictureIsOut { owner?.sessionLinkDidTakePicture(self) }
        // What the owner has put in upon that must not wait for the next wake-up.
        guard next.packet == nil, next.pictureIsOut else { return next.packet }
        return outbox.withLock { $0.next() }.packet
    }

    func secureLinkDidClose(_ link: SecureLink, error: TransportError?) {
        established.withLock { $0 = false }
        let (owner, failure) = incoming.assumeIsolated { state in
            state.isClosed = true
            state.timer?.cancel()
            state.timer = nil
            defer { state.owner = nil }
            return (state.owner, state.failure)
        }
        owner?.sessionLink(self, didCloseWith: failure ?? error)
        closing.leave()
    }
}
