import Confinement
import Dispatch
import Glibc
import Testing

@testable import TransportCore

@Suite(.timeLimit(.minutes(1))) struct DescriptorWatchTests {
    /// One end of a socket pair is watched; the test holds the other.
    private final class Watched: Sendable {
        let queue = DispatchQueue(label: "test.watched")
        let near: Int32
        let far: Int32
        let calls: AsyncStream<LinkReadiness>
        private let call: AsyncStream<LinkReadiness>.Continuation
        private let watch = Locked<DescriptorWatch?>(nil)

        /// - Parameter handler: Called with the watch before the call is told.
        init(
            for wanted: LinkReadiness,
            _ handler: @escaping @Sendable (DescriptorWatch?, Int32) -> Void = { _, _ in }
        ) throws {
            var ends: [Int32] = [-1, -1]
            let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
            try #require(socketpair(AF_UNIX, type, 0, &ends) == 0)
            (near, far) = (ends[0], ends[1])
            (calls, call) = AsyncStream.makeStream()
            let (near, call, holder) = (near, call, watch)
            // Made on the queue, so that no call comes before the watch is known.
            try queue.sync {
                let watch = try DescriptorWatch(near, for: wanted, on: queue) { ready in
                    handler(holder.withLock { $0 }, near)
                    call.yield(ready)
                }
                holder.withLock { $0 = watch }
            }
        }

        deinit {
            cancel()
            queue.async { [near, far] in
                close(near)
                close(far)
            }
        }

        func send() { _ = write(far, "x", 1) }
        func cancel() { watch.withLock { $0 }?.cancel() }
        func want(_ wanted: LinkReadiness) {
            queue.sync { watch.withLock { $0 }?.wanted = wanted }
        }

        func next() async -> LinkReadiness? {
            for await call in calls { return call }
            return nil
        }

        /// No call has come: whatever the thread of events has heard by now has been told.
        func isQuiet() async throws -> Bool {
            let other = try Watched(for: .reading)
            other.send()
            _ = await other.next()
            queue.sync {}
            call.finish()
            return await next() == nil
        }
    }

    private static let take: @Sendable (DescriptorWatch?, Int32) -> Void = { _, descriptor in
        var byte: UInt8 = 0
        _ = read(descriptor, &byte, 1)
    }

    @Test func `what came is told, and again until it has been read`() async throws {
        let watched = try Watched(for: .reading)
        watched.send()
        for _ in 0..<3 { #expect(await watched.next() == .reading) }
    }

    @Test func `each arrival is told`() async throws {
        let watched = try Watched(for: .reading, Self.take)
        for _ in 0..<3 {
            watched.send()
            #expect(await watched.next() == .reading)
        }
        #expect(try await watched.isQuiet())
    }

    @Test func `nothing is told while nothing is wanted`() async throws {
        let watched = try Watched(for: .reading, Self.take)
        watched.want([])
        watched.send()
        #expect(try await watched.isQuiet())
    }

    @Test func `a pause in the handler lasts until it is over`() async throws {
        let watched = try Watched(for: .reading) { watch, _ in watch?.wanted = [] }
        watched.send()
        #expect(await watched.next() == .reading)
        watched.want(.reading)
        #expect(await watched.next() == .reading)
        #expect(try await watched.isQuiet())
    }

    @Test func `room is told when it is asked for`() async throws {
        let watched = try Watched(for: .reading) { watch, _ in watch?.wanted.remove(.writing) }
        watched.want([.reading, .writing])
        #expect(await watched.next() == .writing)
        #expect(try await watched.isQuiet())
    }

    @Test(arguments: [LinkReadiness.reading, .writing])
    func `who waits for one thing learns that the other end has gone`(wanted: LinkReadiness) async throws {
        let watched = try Watched(for: []) { watch, _ in watch?.wanted = [] }
        shutdown(watched.far, Int32(SHUT_RDWR))
        watched.want(wanted)
        #expect(await watched.next() == wanted)
    }

    @Test func `a cancelled one is told nothing`() async throws {
        let watched = try Watched(for: .reading)
        watched.cancel()
        watched.send()
        #expect(try await watched.isQuiet())
    }

    /// The number of a closed descriptor soon belongs to another file.
    @Test func `what is told of a number is told to whom it belongs now`() async throws {
        let first = try Watched(for: .reading, Self.take)
        first.cancel()
        let second = try Watched(for: .reading, Self.take)
        try #require(dup2(second.near, first.near) == first.near)
        second.send()
        #expect(await second.next() == .reading)
        #expect(try await first.isQuiet())
    }

    @Test func `a file on a disk can't be waited for`() throws {
        let file = open("/proc/self/exe", O_RDONLY)
        defer { close(file) }
        let error = #expect(throws: TransportError.self) {
            try DescriptorWatch(file, for: .reading, on: DispatchQueue(label: "test.file")) { _ in }
        }
        #expect(error?.systemError == EPERM)
    }

    /// Links come and go on many threads at once: what Dispatch's own sources did not survive.
    @Test func `many begin and end at once`() async throws {
        let told = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    var told = 0
                    for _ in 0..<200 {
                        guard let watched = try? Watched(for: .reading) else { break }
                        watched.send()
                        if await watched.next() == .reading { told += 1 }
                    }
                    return told
                }
            }
            return await group.reduce(0, +)
        }
        #expect(told == 1_600)
    }
}
