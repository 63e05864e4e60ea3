internal import Confinement
internal import Dispatch

/// One direction of a ``MemoryLink``, with the accidents that a test wants to happen to it. Any thread.
package final class MemoryPipe: Sendable {
    private struct State {
        var bytes: [UInt8] = []
        /// Where the unread ones begin.
        var head = 0
        /// The writer has finished: the reader gets what is left, then the end.
        var hasEnded = false
        /// The reader is gone.
        var isAbandoned = false
        var isStalled = false
        /// How many more bytes pass before the pipe breaks.
        var bytesUntilBreak: Int?
        var isBroken = false
        var isWriterWaiting = false
        var split: SplitMix?

        var count: Int { bytes.count - head }
    }

    private let state: Locked<State>
    private let capacity: Int
    let readable = MemoryEvent()
    let writable = MemoryEvent()

    init(capacity: Int, splitSeed: UInt64?) {
        self.capacity = max(1, capacity)
        state = Locked(State(split: splitSeed.map(SplitMix.init)))
    }

    var count: Int { state.withLock { $0.count } }

    /// Nothing gets through, in the way of a cable that was pulled; what was written before waits, too.
    package func stall() { state.withLock { $0.isStalled = true } }

    package func resume() {
        state.withLock { $0.isStalled = false }
        readable.fire()
        wakeWriter()
    }

    /// Breaks after `count` more bytes were written: both ends then get an error.
    package func breakAfter(byteCount count: Int) { state.withLock { $0.bytesUntilBreak = count } }

    func write(_ source: UnsafeRawBufferPointer) -> LinkResult {
        let result: LinkResult = state.withLock { state in
            guard !state.isBroken, state.bytesUntilBreak != 0 else {
                state.isBroken = true
                return .failed(Self.broken)
            }
            guard !state.isAbandoned, !state.hasEnded else { return .ended }
            var room = min(source.count, capacity - state.count, state.bytesUntilBreak ?? .max)
            room = state.split?.part(of: room) ?? room
            guard room > 0, !state.isStalled else { return .notYet }
            state.bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: source[..<room]))
            if let left = state.bytesUntilBreak { state.bytesUntilBreak = left - room }
            return .bytes(room)
        }
        if case .notYet = result { return result }
        readable.fire()
        return result
    }

    func read(into target: UnsafeMutableRawBufferPointer) -> LinkResult {
        let (result, isChance): (LinkResult, Bool) = state.withLock { state in
            if state.isBroken { return (.failed(Self.broken), false) }
            if state.isStalled { return (.notYet, false) }
            if state.count == 0 { return (state.hasEnded ? .ended : .notYet, false) }
            let available = min(target.count, state.count)
            let count = state.split?.part(of: available) ?? available
            // Refused by the dice, not for want of bytes: nobody else would say that they are there.
            guard count > 0 else { return (.notYet, true) }
            state.bytes.withUnsafeBytes {
                target.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[state.head..<state.head + count]))
            }
            state.head += count
            if state.head == state.bytes.count {
                state.bytes.removeAll(keepingCapacity: true)
                state.head = 0
            } else if state.head > capacity {
                state.bytes.removeFirst(state.head)
                state.head = 0
            }
            return (.bytes(count), false)
        }
        if isChance { readable.fire() }
        if case .bytes = result { wakeWriter() }
        return result
    }

    var canTakePacket: Bool {
        state.withLock { $0.isBroken || $0.isAbandoned || (!$0.isStalled && 2 * $0.count < capacity) }
    }

    func notifyWhenWritable() {
        state.withLock { $0.isWriterWaiting = true }
        wakeWriter()
    }

    private func wakeWriter() {
        let isDue = state.withLock { state in
            let hasRoom = !state.isStalled && 2 * state.count < capacity
            guard state.isWriterWaiting, hasRoom || state.isBroken || state.isAbandoned else { return false }
            state.isWriterWaiting = false
            return true
        }
        if isDue { writable.fire() }
    }

    /// The writer has finished.
    func end() {
        state.withLock { $0.hasEnded = true }
        readable.fire()
    }

    /// The reader is gone.
    func abandon() {
        state.withLock { $0.isAbandoned = true }
        wakeWriter()
    }

    private static let broken = TransportError(.connectionLost, "the connection in memory broke, as it was told to")
}

/// A callback on somebody's queue; several causes before it runs make one call.
final class MemoryEvent: Sendable {
    private struct State {
        var queue: DispatchQueue?
        var handler: (@Sendable () -> Void)?
        var isScheduled = false
    }

    private let state = Locked(State())

    func attach(to queue: DispatchQueue, _ handler: @escaping @Sendable () -> Void) {
        state.withLock {
            $0.queue = queue
            $0.handler = handler
        }
    }

    @discardableResult
    func detach() -> DispatchQueue? {
        state.withLock { state in
            defer { state = State() }
            return state.queue
        }
    }

    func fire() {
        let queue: DispatchQueue? = state.withLock { state in
            guard !state.isScheduled, let queue = state.queue else { return nil }
            state.isScheduled = true
            return queue
        }
        queue?.async { [self] in
            let handler = state.withLock { state in
                state.isScheduled = false
                return state.handler
            }
            handler?()
        }
    }
}

/// SplitMix64 (Steele, Lea, Flood 2014): the same numbers from the same seed.
struct SplitMix: RandomNumberGenerator, Sendable {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// Often all, often a few bytes, now and then none.
    mutating func part(of count: Int) -> Int {
        guard count > 0 else { return 0 }
        return switch next() % 8 {
        case 0: 0
        case 1, 2: min(count, Int.random(in: 1...7, using: &self))
        case 3...5: Int.random(in: 1...count, using: &self)
        default: count
        }
    }
}
