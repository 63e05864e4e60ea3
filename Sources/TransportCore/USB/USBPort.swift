internal import Confinement
internal import Dispatch
internal import WireProtocol

/// The engine of a USB link on either side of the cable: it cuts what is written into chunks, puts in order what comes,
/// and agrees with the other end on where a link begins.
///
/// One link after the other runs over it; each is told by ``Event/opened(_:)``. Everything happens under one lock, on
/// whichever thread brings it: what came on the cable is one hop away from the link's queue.
final class USBPort: Sendable {
    enum Event: Sendable {
        /// The pipe is there: a host may `begin`.
        case enabled
        /// Both ends have agreed on a link. It is not yet opened.
        case opened(USBLink)
        /// The pipe has gone, until `enabled`. A link that was open has ended.
        case disabled(TransportError)
        /// The link that was open, or was to be, has ended. On a host it takes a `begin` to get another one.
        case over
        /// A transfer failed: the endpoints have to be set right before another link.
        case faulty(Int32)
    }

    /// A transfer is not more than this behind the wire when the next packet is chosen, in a full-speed pipe of 1 MB/s.
    private static let writesAtFullSpeed = 2
    private static let fullSpeedPacketSize = 64
    /// Kept for what the link itself has to say.
    private static let slotsForMessages = 2

    private struct State {
        var handshake: USBLinkHandshake
        /// Nil while the pipe is disabled.
        var packetSizes: (read: Int, write: Int)?
        /// What came of each read. Reads are begun in the order of their slots, for ever.
        var reads: [BulkOutcome?]
        /// The read that is looked at next.
        var head = 0
        /// What of the data in the head the link has not yet taken.
        var unread: Range<Int>?
        var freeWrites: [Int]
        var messages: [USBLinkMessage] = []
        var link: LinkState?
        var lastLinkID = 0
        var isClosed = false

        var writesUnderWay: Int { writeSlotCount - freeWrites.count }
        let writeSlotCount: Int
    }

    /// The link that runs.
    private struct LinkState {
        let id: Int
        var wake: LinkWake?
        var awaitsRoom = false
        var hasEnded = false
    }

    private let pipe: any BulkPipe
    private let queue: DispatchQueue
    private let events: @Sendable (Event) -> Void
    private let state: Locked<State>

    var name: String { pipe.name }

    /// - Parameters:
    ///   - pipe: Not yet activated.
    ///   - role: Which side of the cable this is.
    ///   - queue: Serial; where `events` is called.
    ///   - events: Told in order.
    init(
        _ pipe: any BulkPipe, role: USBLinkHandshake.Role, on queue: DispatchQueue,
        events: @escaping @Sendable (Event) -> Void
    ) {
        self.pipe = pipe
        self.queue = queue
        self.events = events
        state = Locked(
            State(
                handshake: USBLinkHandshake(role), reads: Array(repeating: nil, count: pipe.readSlotCount),
                freeWrites: Array(0..<pipe.writeSlotCount), writeSlotCount: pipe.writeSlotCount))
    }

    /// Begins to use the pipe. Once.
    func activate() { pipe.activate { [self] in heard($0) } }

    /// Host: begins a link; `opened` follows if the other end answers.
    ///
    /// - Parameter nonce: Random.
    func begin(nonce: UInt64) {
        state.withLock { state in
            guard state.packetSizes != nil else { return }
            perform(state.handshake.begin(nonce: nonce), &state)
        }
    }

    /// Host: says once more that a link is to begin, where there was no answer yet. False when there is no need.
    func remind() -> Bool {
        state.withLock { state in
            guard let reminder = state.handshake.reminder else { return false }
            // One that has not even gone out is enough.
            if state.writesUnderWay == 0 { send(reminder, &state) }
            return true
        }
    }

    /// Gives up everything. A link that is open hears that it has ended.
    ///
    /// - Parameter released: Called when the device is free, on any thread.
    func close(_ released: @escaping @Sendable () -> Void) {
        state.withLock { state in
            state.isClosed = true
            endLink(&state)
        }
        pipe.close(released)
    }

    /// With the lock held: so that what is told is told in the order in which it happened.
    private func tell(_ event: Event) { queue.async { [events] in events(event) } }
}

// MARK: - What the pipe says

extension USBPort {
    private func heard(_ event: BulkEvent) {
        state.withLock { state in
            guard !state.isClosed else { return }
            switch event {
            case .enabled(let read, let write):
                state.packetSizes = (read, write)
                state.head = 0
                state.unread = nil
                state.freeWrites = Array(0..<state.writeSlotCount)
                for slot in state.reads.indices {
                    state.reads[slot] = nil
                    _ = pipe.submitRead(slot)
                }
                tell(.enabled)
            case .disabled(let error):
                state.packetSizes = nil
                state.messages = []
                interrupt(&state)
                tell(.disabled(error))
            case .read(let slot, let outcome):
                state.reads[slot] = outcome
                readOn(&state)
            case .wrote(let slot, let outcome):
                state.freeWrites.append(slot)
                if case .failed(let number) = outcome { fail(number, &state) }
                writeOn(&state)
            }
        }
    }

    /// Looks at what came, in order, up to the data that the link has to take: a link that isn't read holds up all that
    /// follows, the beginning of another one included.
    private func readOn(_ state: inout State) {
        while state.unread == nil, let outcome = state.reads[state.head] {
            switch outcome {
            case .done(let count):
                look(at: UnsafeRawBufferPointer(rebasing: pipe.readBuffer(state.head)[..<count]), &state)
                if state.unread == nil { readAgain(&state) }
            // The pipe says what follows: it is enabled anew.
            case .cancelled: return
            case .failed(let number):
                fail(number, &state)
                return
            }
        }
    }

    private func look(at transfer: UnsafeRawBufferPointer, _ state: inout State) {
        // A zero-length packet.
        guard let sizes = state.packetSizes, !transfer.isEmpty else { return }
        guard let chunk = USBChunk(transfer, packetSize: sizes.read) else {
            // The rest of a link that was given up; in the middle of one it means that bytes were lost.
            if state.handshake.isOpen { endLink(&state) }
            return
        }
        if chunk.isLinkMessage {
            let bytes = UnsafeRawBufferPointer(rebasing: transfer[chunk.payload])
            if let message = USBLinkMessage(decoding: bytes) { perform(state.handshake.receive(message), &state) }
        } else if state.link != nil, !chunk.payload.isEmpty {
            state.unread = chunk.payload
            state.link?.wake?.call(.reading)
        }
    }

    /// The head has been dealt with.
    private func readAgain(_ state: inout State) {
        let slot = state.head
        state.reads[slot] = nil
        state.unread = nil
        state.head = (slot + 1) % state.reads.count
        _ = pipe.submitRead(slot)
    }

    private func fail(_ number: Int32, _ state: inout State) {
        interrupt(&state)
        tell(.faulty(number))
    }

    private func interrupt(_ state: inout State) { perform(state.handshake.interrupt(), &state) }
}

// MARK: - What the two ends agree on

extension USBPort {
    private func perform(_ actions: [USBLinkHandshake.Action], _ state: inout State) {
        for action in actions {
            switch action {
            case .discardWrites:
                state.messages = []
                pipe.cancelWrites()
            case .send(let message): send(message, &state)
            case .open:
                state.lastLinkID += 1
                state.link = LinkState(id: state.lastLinkID)
                tell(.opened(USBLink(self, id: state.lastLinkID)))
            case .end:
                state.link?.hasEnded = true
                state.link?.wake?.call(.reading)
            case .over:
                letGoOfLink(&state)
                tell(.over)
            }
        }
    }

    /// Ends the link that is open and says so to the other end.
    private func endLink(_ state: inout State) {
        if let message = state.handshake.close() { send(message, &state) }
        letGoOfLink(&state)
        tell(.over)
    }

    private func letGoOfLink(_ state: inout State) {
        state.link?.wake?.call([.reading, .writing])
        state.link = nil
        if state.unread != nil { readAgain(&state) }
    }

    private func send(_ message: USBLinkMessage, _ state: inout State) {
        state.messages.append(message)
        writeOn(&state)
    }

    /// Does what waits for a slot.
    private func writeOn(_ state: inout State) {
        while let message = state.messages.first, let slot = state.freeWrites.last, let sizes = state.packetSizes {
            state.messages.removeFirst()
            let buffer = pipe.writeBuffer(slot)
            message.encode(into: UnsafeMutableRawBufferPointer(rebasing: buffer[USBChunk.headerByteCount...]))
            let length = USBChunk.seal(
                buffer, payloadByteCount: USBLinkMessage.byteCount, packetSize: sizes.write, isLinkMessage: true)
            guard pipe.submitWrite(slot, count: length) else { return }
            state.freeWrites.removeLast()
        }
        // Half of them, so that a pipe that is kept full costs a wake-up for several transfers; the other half keeps it
        // busy meanwhile.
        guard let link = state.link, link.awaitsRoom, state.writesUnderWay <= mostUnderWay(state) / 2 else { return }
        state.link?.awaitsRoom = false
        link.wake?.call(.writing)
    }

    /// How many writes of data there may be at a time.
    private func mostUnderWay(_ state: State) -> Int {
        guard let sizes = state.packetSizes, sizes.write <= Self.fullSpeedPacketSize else {
            return state.writeSlotCount - Self.slotsForMessages
        }
        return Self.writesAtFullSpeed
    }
}

// MARK: - What the link asks for

extension USBPort {
    /// - Parameter wake: What tells the link that there is something to do.
    func open(_ id: Int, _ wake: LinkWake) {
        state.withLock { state in
            guard state.link?.id == id else { return wake.call(.reading) }
            state.link?.wake = wake
            wake.call(.reading)
        }
    }

    func read(_ id: Int, into buffer: UnsafeMutableRawBufferPointer) -> LinkResult {
        state.withLock { state in
            guard let link = state.link, link.id == id else { return .failed(Self.gone(pipe.name)) }
            guard let unread = state.unread else { return link.hasEnded ? .ended : .notYet }
            let count = min(buffer.count, unread.count)
            buffer.copyMemory(
                from: UnsafeRawBufferPointer(rebasing: pipe.readBuffer(state.head)[unread.prefix(count)]))
            if count < unread.count {
                state.unread = unread.lowerBound + count..<unread.upperBound
            } else {
                readAgain(&state)
                readOn(&state)
            }
            return .bytes(count)
        }
    }

    func write(_ id: Int, _ bytes: UnsafeRawBufferPointer) -> LinkResult {
        let (slot, result): (Int?, LinkResult) = state.withLock { state in
            guard state.link?.id == id, state.packetSizes != nil else { return (nil, .failed(Self.gone(pipe.name))) }
            guard state.freeWrites.count > Self.slotsForMessages else { return (nil, .notYet) }
            return (state.freeWrites.removeLast(), .notYet)
        }
        guard let slot else { return result }
        // Without the lock, which the pipe's threads want: a slot that was taken out is nobody else's.
        let count = min(bytes.count, USBChunk.payloadByteCount)
        let buffer = pipe.writeBuffer(slot)
        UnsafeMutableRawBufferPointer(rebasing: buffer[USBChunk.headerByteCount...])
            .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
        return state.withLock { state in
            if state.link?.id == id, let sizes = state.packetSizes {
                let length = USBChunk.seal(buffer, payloadByteCount: count, packetSize: sizes.write)
                if pipe.submitWrite(slot, count: length) { return .bytes(count) }
            }
            // Unless the pipe was enabled anew meanwhile, with all slots free.
            if !state.freeWrites.contains(slot) { state.freeWrites.append(slot) }
            return .failed(Self.gone(pipe.name))
        }
    }

    func canTakePacket(_ id: Int) -> Bool {
        state.withLock { state in
            guard state.link?.id == id, state.packetSizes != nil else { return true }
            return state.writesUnderWay < mostUnderWay(state)
        }
    }

    func notifyWhenWritable(_ id: Int) {
        state.withLock { state in
            guard state.link?.id == id else { return }
            state.link?.awaitsRoom = true
            writeOn(&state)
        }
    }

    func finishWriting(_ id: Int) {
        state.withLock { state in
            guard state.link?.id == id, case .open(let nonce) = state.handshake.state else { return }
            send(USBLinkMessage(.end, nonce: nonce), &state)
        }
    }

    func closeLink(_ id: Int) {
        state.withLock { state in
            guard state.link?.id == id else { return }
            endLink(&state)
            readOn(&state)
        }
    }

    /// Bytes that have not been taken by the other end, at most.
    func unsentByteCount() -> Int { state.withLock { $0.writesUnderWay * USBChunk.transferByteCount } }

    private static func gone(_ name: String) -> TransportError {
        TransportError(
            .connectionLost, "the connection over \(name) is gone. Is the cable in, and does the program run there?")
    }
}
