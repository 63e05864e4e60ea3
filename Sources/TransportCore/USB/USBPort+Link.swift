internal import WireProtocol

/// What the link asks for that runs, on its queue. It is known by its number: one that is over gets nothing.
extension USBPort {
    /// - Parameter wake: What tells the link that there is something to do.
    func open(_ id: Int, _ wake: LinkWake) {
        state.withLock { state in
            guard state.link?.id == id else { return wake.call(.reading) }
            state.link?.wake = wake
            readOn(&state)
            wake.call(takeOwed(&state).union(.reading))
        }
    }

    func readBuffer(_ slot: Int) -> UnsafeMutableRawBufferPointer { pipe.readBuffer(slot) }
    func writeBuffer(_ slot: Int) -> UnsafeMutableRawBufferPointer { pipe.writeBuffer(slot) }

    /// What has come next: its slot is the link's until it is given back.
    ///
    /// - Parameters:
    ///   - id: The link's.
    ///   - slot: The one before.
    func takeArrival(_ id: Int, givingBack slot: Int?) -> ArrivalResult {
        state.withLock { state in
            if let slot { state.reads.giveBack(slot) }
            guard let link = state.link, link.id == id else {
                beginReads(&state)
                return .nothing(.failed(Self.gone(pipe.name)))
            }
            let arrival = state.arrival
            state.arrival = nil
            if arrival == nil { state.link?.awaitsArrival = true }
            readOn(&state)
            tellLink(&state)
            if let arrival { return .arrived(arrival) }
            return .nothing(link.hasEnded ? .ended : .notYet)
        }
    }

    /// A slot to fill with what is to be written: it is the link's until it is written or given back.
    func takeBlank(_ id: Int) -> BlankResult {
        state.withLock { state in
            guard state.link?.id == id, state.packetSizes != nil else {
                return .nothing(.failed(Self.gone(pipe.name)))
            }
            return state.writes.take(leaving: BulkDepth.slotsForMessages).map(BlankResult.blank) ?? .nothing(.notYet)
        }
    }

    /// Writes what stands in the link's slot.
    ///
    /// - Parameters:
    ///   - id: The link's.
    ///   - slot: Filled from `USBChunk.headerByteCount` on.
    ///   - payloadByteCount: How much of it.
    ///   - next: The slot to fill next, if there is one.
    func write(_ id: Int, _ slot: Int, payloadByteCount: Int, next: inout Int?) -> LinkResult {
        let (result, blank): (LinkResult, Int?) = state.withLock { state in
            guard state.link?.id == id, let sizes = state.packetSizes else {
                state.writes.giveBack(slot)
                return (.failed(Self.gone(pipe.name)), nil)
            }
            let length = USBChunk.seal(
                pipe.writeBuffer(slot), payloadByteCount: payloadByteCount, packetSize: sizes.write)
            state.writes.stage(slot, length: length)
            beginWrites(&state)
            return (.bytes(payloadByteCount), state.writes.take(leaving: BulkDepth.slotsForMessages))
        }
        next = blank
        return result
    }

    func canTakePacket(_ id: Int) -> Bool {
        state.withLock { state in state.link?.id != id || state.packetSizes == nil || hasRoom(state) }
    }

    func notifyWhenWritable(_ id: Int) {
        state.withLock { state in
            guard state.link?.id == id else { return }
            state.link?.awaitsRoom = true
            writeOn(&state)
            tellLink(&state)
        }
    }

    func finishWriting(_ id: Int) {
        state.withLock { state in
            guard state.link?.id == id, case .open(let nonce) = state.handshake.state else { return }
            send(USBLinkMessage(.end, nonce: nonce), &state)
        }
    }

    /// - Parameters:
    ///   - id: The link's.
    ///   - arrived: The slot that it has of what came, if any.
    ///   - blank: The slot that it would have written next, if any.
    func closeLink(_ id: Int, givingBack arrived: Int?, _ blank: Int?) {
        state.withLock { state in
            if let arrived { state.reads.giveBack(arrived) }
            if let blank { state.writes.giveBack(blank) }
            if state.link?.id == id { endLink(&state) }
            writeOn(&state)
            readOn(&state)
        }
    }

    /// Bytes that have not been taken by the other end.
    func unsentByteCount() -> Int { state.withLock { $0.writes.byteCount } }

    private static func gone(_ name: String) -> TransportError {
        TransportError(
            .connectionLost, "the connection over \(name) is gone. Is the cable in, and does the program run there?")
    }
}
