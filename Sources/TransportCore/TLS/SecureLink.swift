package import CamoTypes
internal import Confinement
package import Dispatch

/// TLS 1.3 over a ``ByteLink``, which pulls what it sends: one packet each time the pipe can take one.
///
/// Once started it lives, and keeps its delegate, until it is closed; then it lets go of both the link and the
/// delegate.
///
/// Unchecked: what follows "On the queue" below is touched only on `queue`, which is serial; every way in from
/// elsewhere goes through `request`, which hops onto it. The rest is constant or behind a lock.
package final class SecureLink: @unchecked Sendable {
    /// How long things may take.
    package struct Patience: Sendable {
        /// From `start` to the end of the TLS handshake.
        package var handshake: DispatchTimeInterval
        /// From `close(afterSending: true)` to the end.
        package var closing: DispatchTimeInterval

        package init(handshake: DispatchTimeInterval = .seconds(3), closing: DispatchTimeInterval = .seconds(1)) {
            self.handshake = handshake
            self.closing = closing
        }
    }

    package let queue: DispatchQueue
    /// For logs: who it is for.
    package let label: String
    private let link: any ByteLink
    private let context: TLSContext
    /// Whoever dialled: the studio is the server.
    var role: TLSRole { context.role }
    private let patience: Patience

    /// What was asked for from any thread, and not yet done.
    private struct Requests: Sendable {
        var wake = false
        var close: Closing?
        /// A turn of the queue that will see to it is on its way.
        var isScheduled = false
    }

    private enum Closing { case now, afterSending }
    private let requests = Locked(Requests())

    // MARK: On the queue

    private enum Phase {
        case idle, handshaking, connected
        /// Sends what the delegate still has.
        case draining
        /// Says that nothing more will come.
        case parting
        /// Waits for the other end to have read it all: closing a socket with unread bytes in it makes the kernel
        /// throw away what the other end has not read (RFC 1122, 4.2.2.13).
        case lingering
        case closed
    }

    private var phase = Phase.idle
    /// What is spoken, from `secureLinkDidConnect` on; the first that may be before. On the link's queue.
    private(set) var applicationProtocol: ApplicationProtocol
    private var isStarted = false
    private var delegate: (any SecureLinkDelegate)?
    private var session: TLSSession?
    private var deadline: (any DispatchSourceTimer)?
    /// Whether the delegate may have a packet: not since it said no, until it wakes the link.
    private var mayHavePacket = true
    /// The packet that TLS has begun to write.
    private var packet: [UInt8] = []
    private var packetOffset = 0
    private let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 64 << 10, alignment: 16)

    /// Everything that may come in before the handshake is done. A whole one has two kilobytes.
    private static let handshakeByteLimit = 32 << 10
    /// Packets in one go before what came in is looked at again.
    private static let packetsPerRound = 8
    /// Rounds in one turn of the queue before others on it have theirs.
    private static let roundsPerTurn = 16

    /// - Parameters:
    ///   - link: Not yet opened. The secure link drives it from now on.
    ///   - role: The context's; spelled out where a link is made, since who dialled says nothing about it.
    package init(
        link: any ByteLink, role: TLSRole, context: TLSContext, label: String, patience: Patience = Patience()
    ) {
        precondition(role == context.role, "a TLS context serves one role")
        self.link = link
        self.context = context
        self.label = label
        self.patience = patience
        applicationProtocol = context.protocols[0]
        queue = DispatchQueue(label: "camo.link.\(label)", qos: .userInteractive)
    }

    deinit { buffer.deallocate() }

    package var peerAddress: String { link.peerAddress }
    package var transport: TransportKind { link.transport }

    /// Begins the handshake. Once; any thread.
    package func start(delegate: any SecureLinkDelegate) {
        queue.async { [self] in begin(delegate) }
    }

    /// There is something to send now. Any thread, also from within the delegate's calls.
    package func wake() { request { $0.wake = true } }

    /// Ends the link. Any thread, any time, any number of times; never blocks. Nothing is received any more, and
    /// `secureLinkDidClose` follows.
    ///
    /// - Parameter afterSending: First sends what `secureLinkNextPacket` still gives, until it says nil, and waits
    ///   until the other end has read it; a second at most for all of it.
    package func close(afterSending: Bool) {
        request { if $0.close != .now { $0.close = afterSending ? .afterSending : .now } }
    }

    /// How full and how long the pipe is. Any thread.
    package func metrics() -> LinkMetrics { link.metrics() }

    /// 32 bytes that only the two ends of this connection can know (RFC 8446, 7.5; RFC 9266 calls it the exporter).
    ///
    /// On the link's queue, in `secureLinkDidConnect` or later, until the link is closed.
    package func exportKeyingMaterial(label: String) -> [UInt8] {
        dispatchPrecondition(condition: .onQueue(queue))
        guard let session, phase != .handshaking else {
            preconditionFailure("keying material exists only while the link is connected")
        }
        return session.exportKeyingMaterial(label: label)
    }

    private func request(_ change: (inout Requests) -> Void) {
        let isNew = requests.withLock { requests in
            change(&requests)
            defer { requests.isScheduled = true }
            return !requests.isScheduled
        }
        if isNew { queue.async { [self] in turn() } }
    }
}

// MARK: - Opening and closing

extension SecureLink {
    private func begin(_ delegate: any SecureLinkDelegate) {
        precondition(!isStarted, "a link is started once")
        isStarted = true
        // Closed before it was started.
        guard phase == .idle else { return delegate.secureLinkDidClose(self, error: nil) }
        self.delegate = delegate
        phase = .handshaking
        let deadline = DispatchSource.makeTimerSource(flags: .strict, queue: queue)
        deadline.setEventHandler { [self] in deadlinePassed() }
        deadline.schedule(deadline: .now() + patience.handshake)
        deadline.activate()
        self.deadline = deadline
        do throws(TransportError) {
            session = try TLSSession(context, over: link)
        } catch {
            return finish(error)
        }
        link.open(on: queue, onReadable: { [self] in turn() }, onWritable: { [self] in turn() })
        turn()
    }

    private func deadlinePassed() {
        switch phase {
        case .handshaking:
            finish(
                TransportError(
                    .timedOut, "\(link.peerAddress) did not finish the TLS handshake in time: is it one of ours?"))
        // What could not be sent in time is lost, as the caller was told.
        case .draining, .parting, .lingering: finish(nil)
        case .idle, .connected, .closed: break
        }
    }

    /// Sees to what was asked for. False when the link is closed by it.
    private func heedRequests() -> Bool {
        let (wake, close) = requests.withLock { requests in
            defer { requests = Requests(isScheduled: requests.isScheduled) }
            return (requests.wake, requests.close)
        }
        if wake { mayHavePacket = true }
        switch (close, phase) {
        case (nil, _): return phase != .closed
        case (_, .closed): return false
        case (.afterSending, .connected):
            phase = .draining
            mayHavePacket = true
            deadline?.schedule(deadline: .now() + patience.closing)
            return true
        case (.afterSending, .draining), (.afterSending, .parting), (.afterSending, .lingering): return true
        case (.afterSending, .idle), (.afterSending, .handshaking), (.now, _):
            finish(nil)
            return false
        }
    }

    private func finish(_ error: TransportError?) {
        guard phase != .closed else { return }
        // Half a record can't be followed by anything.
        if phase == .connected || phase == .draining, packet.isEmpty { _ = session?.sendCloseNotify() }
        phase = .closed
        session = nil
        packet = []
        deadline?.cancel()
        deadline = nil
        link.close { [self] in
            let delegate = self.delegate
            self.delegate = nil
            delegate?.secureLinkDidClose(self, error: error)
        }
    }
}

// MARK: - Moving bytes

extension SecureLink {
    /// Moves what can be moved: each time the link has something to read or room, or something was asked for.
    private func turn() {
        requests.withLock { $0.isScheduled = false }
        for _ in 0..<Self.roundsPerTurn {
            guard heedRequests() else { return }
            if phase == .handshaking {
                guard handshake() else { return }
            }
            guard phase != .idle, phase != .closed else { return }
            let (mayReceiveMore, maySendMore) = (receive(), send())
            guard mayReceiveMore || maySendMore else { return }
        }
        request { _ in }
    }

    /// One step of the handshake. True when it is done.
    private func handshake() -> Bool {
        guard let session else { return false }
        let result = session.handshake()
        switch result {
        case .wantsRead:
            // Once it is done, what came in may hold the beginning of what follows.
            if session.pipe.receivedCount > Self.handshakeByteLimit {
                finish(TransportError(.handshakeFailed, "\(link.peerAddress) sends too much for a TLS handshake"))
            }
            return false
        case .wantsWrite:
            link.notifyWhenWritable()
            return false
        case .ended:
            finish(TransportError(.connectionLost, "\(link.peerAddress) closed the connection in the handshake"))
            return false
        case .failed(let error):
            finish(error)
            return false
        case .done: break
        }
        // OpenSSL is content with an end that never heard of ALPN.
        guard let spoken = session.applicationProtocol, let peer = session.peer else {
            finish(session.applicationProtocolMismatch)
            return false
        }
        applicationProtocol = spoken
        phase = .connected
        deadline?.schedule(deadline: .distantFuture)
        delegate?.secureLinkDidConnect(self, peer: peer)
        return heedRequests()
    }

    /// Reads one gulp and hands it over. True if there may be more.
    private func receive() -> Bool {
        var count = 0
        var end: (error: TransportError?, isEnd: Bool) = (nil, false)
        var mayHaveMore = true
        while count < buffer.count, mayHaveMore, let session {
            switch session.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[count...])) {
            case .done(let more): count += more
            case .wantsRead: mayHaveMore = false
            case .wantsWrite:
                link.notifyWhenWritable()
                mayHaveMore = false
            case .ended:
                end = (nil, true)
                mayHaveMore = false
            case .failed(let error):
                end = (error, true)
                mayHaveMore = false
            }
        }
        if count > 0, phase == .connected {
            delegate?.secureLink(self, didReceive: UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        }
        if end.isEnd {
            // Once this end is closing, how the other one goes no longer matters.
            finish(phase == .connected ? end.error : nil)
            return false
        }
        return mayHaveMore
    }

    /// Sends some packets. True if there may be more to send and room for it.
    private func send() -> Bool {
        for _ in 0..<Self.packetsPerRound {
            guard phase == .connected || phase == .draining else { break }
            if packet.isEmpty {
                guard heedRequests(), mayHavePacket else { break }
                guard link.canTakePacket() else {
                    link.notifyWhenWritable()
                    return false
                }
                guard let next = delegate?.secureLinkNextPacket(self), !next.isEmpty else {
                    mayHavePacket = false
                    break
                }
                packet = next
                packetOffset = 0
            }
            guard writePacket() else { return false }
        }
        if phase == .draining, !mayHavePacket { phase = .parting }
        if phase == .parting { part() }
        return mayHavePacket && (phase == .connected || phase == .draining)
    }

    /// Goes on with the packet at hand. True when TLS has taken all of it.
    private func writePacket() -> Bool {
        while packetOffset < packet.count, let session {
            let result = packet.withUnsafeBytes { session.write(UnsafeRawBufferPointer(rebasing: $0[packetOffset...])) }
            switch result {
            case .done(let count): packetOffset += count
            case .wantsWrite:
                link.notifyWhenWritable()
                return false
            // An answer that TLS needs first: the next read brings it.
            case .wantsRead: return false
            case .ended:
                finish(nil)
                return false
            case .failed(let error):
                finish(phase == .connected ? error : nil)
                return false
            }
        }
        packet = []
        return session != nil
    }

    private func part() {
        if case .wantsWrite = session?.sendCloseNotify() { return link.notifyWhenWritable() }
        phase = .lingering
        link.finishWriting()
    }
}
