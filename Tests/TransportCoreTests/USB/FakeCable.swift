import Confinement
import Dispatch
import Glibc
import WireProtocol

@testable import TransportCore

/// A USB cable in memory: transfers travel in packets, a read ends with a short packet or a full buffer, and the program
/// at either end can vanish at any packet.
final class FakeCable: Sendable {
    enum Side: Int, CaseIterable { case host, device }

    /// One direction, named by who writes.
    private struct Direction {
        var writes: [(pipe: FakePipe, slot: Int, bytes: [UInt8], sent: Int)] = []
        var reads: [(pipe: FakePipe, slot: Int, filled: Int)] = []
        /// The read that ends next fails instead.
        var nextReadFails: Int32?
    }

    private struct State {
        var directions = [Direction(), Direction()]
        var isIn = true
        /// How many more packets pass; nil: all.
        var packetsLeft: Int?
        /// How many transfers each end has memory for, in both directions together.
        var transferLimit = [Int.max, Int.max]
        var pipes: [FakePipe?] = [nil, nil]
    }

    let packetSize: Int
    private let state = Locked(State())
    /// Where all events are told.
    private let queue = DispatchQueue(label: "test.cable")

    init(packetSize: Int = 512) { self.packetSize = packetSize }

    /// A program begins at that end.
    func pipe(_ side: Side) -> FakePipe { FakePipe(self, side) }

    /// The program at that end is killed: what it had begun is gone, what has gone through the cable is not.
    func kill(_ side: Side) {
        state.withLock { state in
            state.directions[side.rawValue].writes = []
            state.directions[1 - side.rawValue].reads = []
            state.pipes[side.rawValue]?.isDead.withLock { $0 = true }
            state.pipes[side.rawValue] = nil
        }
    }

    func pullOut() {
        state.withLock { state in
            state.isIn = false
            for pipe in state.pipes { dropAll(of: pipe, &state) }
            for pipe in state.pipes.compactMap(\.self) {
                tell(pipe, .disabled(TransportError(.connectionLost, "the cable is out")))
            }
        }
    }

    func putIn() {
        state.withLock { state in
            state.isIn = true
            for pipe in state.pipes.compactMap(\.self) { tellEnabled(pipe) }
        }
    }

    /// Lets that many packets pass, and then none until this is called again; nil: all.
    func letPass(_ packets: Int?) {
        state.withLock { state in
            state.packetsLeft = packets
            pump(&state)
        }
    }

    /// The next read of that end that would end well fails: EPIPE is a stalled endpoint.
    func failNextRead(of side: Side, _ number: Int32) {
        state.withLock { $0.directions[1 - side.rawValue].nextReadFails = number }
    }

    /// The kernel at that end has memory for so many transfers.
    func limitTransfers(of side: Side, _ count: Int) { state.withLock { $0.transferLimit[side.rawValue] = count } }

    /// All of that end's transfers are given up, and it can begin anew: as a host sets its pipe right.
    func restart(_ pipe: FakePipe) {
        state.withLock { state in
            dropAll(of: pipe, &state)
            tellEnabled(pipe)
        }
    }

    /// All that was told by now has been heard.
    func settle() { queue.sync {} }

    // MARK: What the pipes do

    func activate(_ pipe: FakePipe) {
        state.withLock { state in
            state.pipes[pipe.side.rawValue] = pipe
            if state.isIn { tellEnabled(pipe) }
        }
    }

    func read(_ pipe: FakePipe, _ slot: Int) -> BulkSubmission {
        state.withLock { state in
            guard state.isIn, state.pipes[pipe.side.rawValue] === pipe else { return .refused }
            guard hasMemory(pipe, state) else { return .noMemory }
            state.directions[1 - pipe.side.rawValue].reads.append((pipe, slot, 0))
            pump(&state)
            return .begun
        }
    }

    func write(_ pipe: FakePipe, _ slot: Int, _ bytes: [UInt8]) -> BulkSubmission {
        state.withLock { state in
            guard state.isIn, state.pipes[pipe.side.rawValue] === pipe else { return .refused }
            guard hasMemory(pipe, state) else { return .noMemory }
            state.directions[pipe.side.rawValue].writes.append((pipe, slot, bytes, 0))
            pump(&state)
            return .begun
        }
    }

    private func hasMemory(_ pipe: FakePipe, _ state: borrowing State) -> Bool {
        let side = pipe.side.rawValue
        return state.directions[side].writes.count + state.directions[1 - side].reads.count < state.transferLimit[side]
    }

    func cancelWrites(_ pipe: FakePipe) {
        state.withLock { state in
            let side = pipe.side.rawValue
            for write in state.directions[side].writes where write.pipe === pipe {
                tell(pipe, .wrote(slot: write.slot, .cancelled))
            }
            state.directions[side].writes.removeAll { $0.pipe === pipe }
        }
    }

    func close(_ pipe: FakePipe, _ released: @escaping @Sendable () -> Void) {
        state.withLock { state in
            dropAll(of: pipe, &state)
            if state.pipes[pipe.side.rawValue] === pipe { state.pipes[pipe.side.rawValue] = nil }
        }
        queue.async {
            pipe.events.withLock { $0 = nil }
            released()
        }
    }

    private func dropAll(of pipe: FakePipe?, _ state: inout State) {
        guard let pipe else { return }
        let side = pipe.side.rawValue
        for write in state.directions[side].writes { tell(pipe, .wrote(slot: write.slot, .cancelled)) }
        for read in state.directions[1 - side].reads { tell(pipe, .read(slot: read.slot, .cancelled)) }
        state.directions[side].writes = []
        state.directions[1 - side].reads = []
    }

    private func pump(_ state: inout State) {
        for direction in state.directions.indices { while movePacket(&state, direction) {} }
    }

    /// One packet from the first write into the first read. False when there is nothing to move.
    private func movePacket(_ state: inout State, _ direction: Int) -> Bool {
        guard state.packetsLeft != 0, let write = state.directions[direction].writes.first,
            let read = state.directions[direction].reads.first
        else { return false }
        if let left = state.packetsLeft { state.packetsLeft = left - 1 }
        let packet = write.bytes[write.sent...].prefix(packetSize)
        let target = UnsafeMutableRawBufferPointer(rebasing: read.pipe.readBuffer(read.slot)[read.filled...])
        packet.withUnsafeBytes { target.copyMemory(from: $0) }
        let filled = read.filled + packet.count
        state.directions[direction].writes[0].sent += packet.count
        state.directions[direction].reads[0].filled = filled
        if write.sent + packet.count == write.bytes.count {
            state.directions[direction].writes.removeFirst()
            tell(write.pipe, .wrote(slot: write.slot, .done(write.bytes.count)))
        }
        if packet.count < packetSize || filled == USBChunk.transferByteCount {
            state.directions[direction].reads.removeFirst()
            let failure = state.directions[direction].nextReadFails
            state.directions[direction].nextReadFails = nil
            tell(read.pipe, .read(slot: read.slot, failure.map(BulkOutcome.failed) ?? .done(filled)))
        }
        return true
    }

    private func tellEnabled(_ pipe: FakePipe) {
        tell(pipe, .enabled(readPacketSize: packetSize, writePacketSize: packetSize))
    }

    private func tell(_ pipe: FakePipe, _ event: BulkEvent) {
        queue.async {
            guard !pipe.isDead.withLock({ $0 }), let events = pipe.events.withLock({ $0 }) else { return }
            events(event)
            events(.pause)
        }
    }
}

/// One end of a ``FakeCable``, for one life of a program.
///
/// Unchecked: the buffers belong to whoever owns the slot.
final class FakePipe: BulkPipe, @unchecked Sendable {
    let side: FakeCable.Side
    let events = Locked<(@Sendable (BulkEvent) -> Void)?>(nil)
    let isDead = Locked(false)
    private let cable: FakeCable
    private let reading = SlotBuffers(count: BulkDepth.readSlots)
    private let writing = SlotBuffers(count: BulkDepth.writeSlots)

    var name: String { "usb fake" }

    init(_ cable: FakeCable, _ side: FakeCable.Side) {
        self.cable = cable
        self.side = side
    }

    func readBuffer(_ slot: Int) -> UnsafeMutableRawBufferPointer { reading[slot] }
    func writeBuffer(_ slot: Int) -> UnsafeMutableRawBufferPointer { writing[slot] }

    func activate(_ events: @escaping @Sendable (BulkEvent) -> Void) {
        self.events.withLock { $0 = events }
        cable.activate(self)
    }

    func submitRead(_ slot: Int) -> BulkSubmission { cable.read(self, slot) }
    func submitWrite(_ slot: Int, count: Int) -> BulkSubmission {
        cable.write(self, slot, Array(writeBuffer(slot)[..<count]))
    }
    func cancelWrites() { cable.cancelWrites(self) }
    func close(_ released: @escaping @Sendable () -> Void) { cable.close(self, released) }
}
