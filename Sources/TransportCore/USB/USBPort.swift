internal import CamoTypes
internal import Confinement
internal import Dispatch
internal import Glibc
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
        /// The program at the other end is of the same kind: there is no link with it. Told once until there is one, or until
        /// the pipe is enabled anew; a host hears `over` each time.
        case alike(DeviceRole)
        /// A transfer failed: the endpoints have to be set right before another link.
        case faulty(Int32)
        /// The kernel has no memory for transfers: after the pipe has been enabled anew there will be fewer of them; not
        /// where there was but one.
        case starved(isLast: Bool)
    }

    /// What the link has to take.
    struct Arrival: Sendable {
        let slot: Int
        /// Where it lies in the slot's buffer.
        var unread: Range<Int>
    }

    enum ArrivalResult: Sendable {
        case arrived(Arrival)
        case nothing(LinkResult)
    }

    enum BlankResult: Sendable {
        case blank(Int)
        case nothing(LinkResult)
    }

    /// A transfer is not more than this behind the wire when the next packet is chosen, in a full-speed pipe of 1 MB/s.
    private static let writesAtFullSpeed = 2
    private static let fullSpeedPacketSize = 64
    private static let pauseAfterFault = DispatchTimeInterval.milliseconds(100)

    struct State {
        var handshake: USBLinkHandshake
        /// Nil while the pipe is disabled.
        var packetSizes: (read: Int, write: Int)?
        /// How many transfers are under way each way, at most.
        var depth = BulkDepth.underWay
        var reads = ReadWindow(slotCount: BulkDepth.readSlots)
        var writes = WriteWindow(slotCount: BulkDepth.writeSlots)
        /// What the link is to take next: what follows in the pipe isn't looked at before.
        var arrival: Arrival?
        /// Those for which there was no slot.
        var messages: [USBLinkMessage] = []
        var link: LinkState?
        var lastLinkID = 0
        /// Nothing begins for a moment: something has just failed.
        var isWaiting = false
        var isClosed = false
        var isAlikeTold = false
    }

    /// The link that runs.
    struct LinkState {
        let id: Int
        var wake: LinkWake?
        var isOpened: Bool { wake != nil }
        /// It has been told that there is nothing to read, or no room.
        var awaitsArrival = true
        var awaitsRoom = false
        var hasEnded = false
        /// What it is to be told at the next pause.
        var owed: LinkReadiness = []
    }

    let pipe: any BulkPipe
    private let queue: DispatchQueue
    private let events: @Sendable (Event) -> Void
    let state: Locked<State>

    var name: String { pipe.name }

    /// - Parameters:
    ///   - pipe: Not yet activated.
    ///   - role: Which side of the cable this is.
    ///   - program: What the other end is told that this one is.
    ///   - queue: Serial; where `events` is called.
    ///   - events: Told in order.
    init(
        _ pipe: any BulkPipe, role: USBLinkHandshake.Role, program: DeviceRole? = nil, on queue: DispatchQueue,
        events: @escaping @Sendable (Event) -> Void
    ) {
        self.pipe = pipe
        self.queue = queue
        self.events = events
        state = Locked(State(handshake: USBLinkHandshake(role, program: program)))
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
            if state.writes.count == 0 { send(reminder, &state) }
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
        if case .pause = event { return callLink() }
        state.withLock { state in
            guard !state.isClosed else { return }
            switch event {
            case .enabled(let read, let write):
                state.packetSizes = (read, write)
                (state.isWaiting, state.isAlikeTold) = (false, false)
                state.reads.clear()
                tell(.enabled)
                beginReads(&state)
            case .disabled(let error):
                stopUsing(&state)
                tell(.disabled(error))
            case .read(let slot, let outcome):
                state.reads.ended(slot, outcome)
                switch outcome {
                // At once: what the controller has to do next is there before anybody has looked at this.
                case .done: beginReads(&state)
                // The pipe says what follows: it is enabled anew.
                case .cancelled: break
                case .failed(let number): fail(number, &state)
                }
                readOn(&state)
            case .wrote(let slot, let outcome):
                state.writes.ended(slot)
                if case .failed(let number) = outcome { fail(number, &state) }
                writeOn(&state)
            case .pause: break
            }
        }
    }

    /// On a thread of the pipe's: the link does at once, on it, all that it has to do.
    private func callLink() {
        let (wake, owed) = state.withLock { ($0.link?.wake, takeOwed(&$0)) }
        if !owed.isEmpty { wake?.callHere(owed) }
    }

    /// On the link's queue: wakes it for all that it has to do.
    func tellLink(_ state: inout State) {
        let owed = takeOwed(&state)
        if !owed.isEmpty { state.link?.wake?.call(owed) }
    }

    func takeOwed(_ state: inout State) -> LinkReadiness {
        defer { state.link?.owed = [] }
        return state.link?.owed ?? []
    }

    /// Begins as many reads as may be under way.
    func beginReads(_ state: inout State) {
        guard state.packetSizes != nil, !state.isWaiting else { return }
        while let slot = state.reads.beginNext(depth: state.depth) {
            let result = pipe.submitRead(slot)
            guard result != .begun else { continue }
            state.reads.takeBack(slot)
            return failed(result, isLast: state.reads.underWay == 0, &state)
        }
    }

    /// - Parameter isLast: No other transfer of that direction is under way, whose end would be another chance.
    private func failed(_ result: BulkSubmission, isLast: Bool, _ state: inout State) {
        switch result {
        case .begun, .refused: break
        case .failed(let number): fail(number, &state)
        case .noMemory:
            guard isLast else { return }
            guard state.handshake.role == .host else { return fail(ENOMEM, &state) }
            stopUsing(&state)
            tell(.starved(isLast: state.depth == 1))
            state.depth = max(1, state.depth / 2)
        }
    }

    /// Until the pipe is enabled.
    private func stopUsing(_ state: inout State) {
        state.packetSizes = nil
        state.messages = []
        state.writes.discardStaged()
        interrupt(&state)
    }

    /// Looks at what came, in order, up to the data that the link has to take: a link that isn't read holds up all that
    /// follows, the beginning of another one included. So does one that nobody has opened yet: else whoever begins one
    /// after the other, faster than they can be opened, would fill the memory with them.
    func readOn(_ state: inout State) {
        while state.arrival == nil, state.link?.isOpened ?? true, let (slot, outcome) = state.reads.takeOldest() {
            var data: Range<Int>?
            if case .done(let count) = outcome {
                data = look(at: UnsafeRawBufferPointer(rebasing: pipe.readBuffer(slot)[..<count]), &state)
            }
            if let data {
                state.arrival = Arrival(slot: slot, unread: data)
                guard state.link?.awaitsArrival == true else { break }
                state.link?.awaitsArrival = false
                state.link?.owed.insert(.reading)
            } else {
                state.reads.giveBack(slot)
            }
        }
        beginReads(&state)
    }

    /// Where in the transfer there is data for the link.
    private func look(at transfer: UnsafeRawBufferPointer, _ state: inout State) -> Range<Int>? {
        // A zero-length packet.
        guard let sizes = state.packetSizes, !transfer.isEmpty else { return nil }
        guard let chunk = USBChunk(transfer, packetSize: sizes.read) else {
            // The rest of a link that was given up; in the middle of one it means that bytes were lost.
            if state.handshake.isOpen { endLink(&state) }
            return nil
        }
        if chunk.isLinkMessage {
            let bytes = UnsafeRawBufferPointer(rebasing: transfer[chunk.payload])
            if let message = USBLinkMessage(decoding: bytes) { perform(state.handshake.receive(message), &state) }
            return nil
        }
        return state.link != nil && !chunk.payload.isEmpty ? chunk.payload : nil
    }

    private func fail(_ number: Int32, _ state: inout State) {
        interrupt(&state)
        tell(.faulty(number))
        guard state.handshake.role == .device, !state.isWaiting else { return }
        state.isWaiting = true
        queue.asyncAfter(deadline: .now() + Self.pauseAfterFault) { [weak self] in self?.goOn() }
    }

    /// On a device: to set the endpoints right is the host's to do, and what has failed may not fail again. Not at once:
    /// it may as well.
    private func goOn() {
        state.withLock { state in
            guard !state.isClosed else { return }
            state.isWaiting = false
            beginReads(&state)
            writeOn(&state)
        }
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
                state.writes.discardStaged()
                pipe.cancelWrites()
            case .send(let message): send(message, &state)
            case .open:
                state.lastLinkID += 1
                state.link = LinkState(id: state.lastLinkID)
                state.isAlikeTold = false
                tell(.opened(USBLink(self, id: state.lastLinkID)))
            case .end:
                state.link?.hasEnded = true
                state.link?.wake?.call(.reading)
            case .over:
                letGoOfLink(&state)
                tell(.over)
            case .alike(let program):
                if !state.isAlikeTold { tell(.alike(program)) }
                state.isAlikeTold = true
                if state.handshake.role == .host { tell(.over) }
            }
        }
    }

    /// Ends the link that is open and says so to the other end.
    func endLink(_ state: inout State) {
        if let message = state.handshake.close() { send(message, &state) }
        letGoOfLink(&state)
        tell(.over)
    }

    private func letGoOfLink(_ state: inout State) {
        state.link?.wake?.call([.reading, .writing])
        state.link = nil
        if let arrival = state.arrival { state.reads.giveBack(arrival.slot) }
        state.arrival = nil
    }

    func send(_ message: USBLinkMessage, _ state: inout State) {
        state.messages.append(message)
        writeOn(&state)
    }

    /// Does what waits for a slot or for room, as far as there is any.
    func writeOn(_ state: inout State) {
        while let message = state.messages.first, let sizes = state.packetSizes,
            let slot = state.writes.take(leaving: 0)
        {
            state.messages.removeFirst()
            let buffer = pipe.writeBuffer(slot)
            message.encode(into: UnsafeMutableRawBufferPointer(rebasing: buffer[USBChunk.headerByteCount...]))
            let length = USBChunk.seal(
                buffer, payloadByteCount: USBLinkMessage.byteCount, packetSize: sizes.write, isLinkMessage: true)
            state.writes.stage(slot, length: length)
        }
        beginWrites(&state)
        guard let link = state.link, link.awaitsRoom, hasRoom(state) else { return }
        state.link?.awaitsRoom = false
        state.link?.owed.insert(.writing)
    }

    func beginWrites(_ state: inout State) {
        guard state.packetSizes != nil, !state.isWaiting else { return }
        while let (slot, length) = state.writes.beginNext(depth: state.depth) {
            let result = pipe.submitWrite(slot, count: length)
            guard result != .begun else { continue }
            state.writes.takeBack(slot)
            return failed(result, isLast: state.writes.underWay == 0, &state)
        }
    }

    /// Whether a packet that is chosen now is as near to the wire as it should be: nothing is staged. Those under way keep
    /// the pipe busy while the link fills up what stands behind them.
    func hasRoom(_ state: State) -> Bool {
        guard let sizes = state.packetSizes, sizes.write <= Self.fullSpeedPacketSize else {
            return state.writes.count <= state.depth
        }
        return state.writes.count < Self.writesAtFullSpeed
    }
}
