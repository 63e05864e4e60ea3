internal import Confinement

/// A ``VideoSource`` that keeps its observers: a subclass makes pictures and tells of each.
///
/// ```swift
/// notify { $0.videoSource(self, didOutput: sample) }
/// ```
///
/// Unchecked because it can be subclassed: its own state is behind a lock, and a subclass answers for what it adds.
open class ObservableVideoSource: VideoSource, @unchecked Sendable {
    private let observers = Locked(Observers())

    /// In the order in which they were added.
    private struct Observers {
        var entries: [Entry] = []
        var next: UInt64 = 0
    }

    private struct Entry {
        /// Never given twice, unlike the addresses of objects.
        let number: UInt64
        let identity: ObjectIdentifier
        weak var object: (any VideoSourceObserver)?
    }

    public init() {}

    public func add(observer: any VideoSourceObserver) {
        // Given out of the lock before they are let go: whoever is the last to hold an observer runs its `deinit`,
        // which may come back here.
        _ = observers.withLock { observers -> [(any VideoSourceObserver)?] in
            let present = observers.entries.map(\.object)
            guard !present.contains(where: { $0 === observer }) else { return present }
            observers.next += 1
            observers.entries.append(
                Entry(number: observers.next, identity: ObjectIdentifier(observer), object: observer))
            return present
        }
    }

    public func remove(observer: any VideoSourceObserver) {
        let identity = ObjectIdentifier(observer)
        observers.withLock { $0.entries.removeAll { $0.identity == identity } }
    }

    /// Tells each observer something, in the order in which they were added, on the calling thread. One that is removed
    /// meanwhile is not told any more; one that is added is told from the next time on.
    ///
    /// Call it from one thread or queue: observers hear of pictures in the order of the calls.
    public func notify(_ tell: (any VideoSourceObserver) -> Void) {
        let round = observers.withLock { observers -> [(number: UInt64, object: any VideoSourceObserver)] in
            let present = observers.entries.map { ($0, $0.object) }
            observers.entries = present.filter { $0.1 != nil }.map(\.0)
            return present.compactMap { entry, object in object.map { (entry.number, $0) } }
        }
        for (number, object) in round where isObserved(by: number) { tell(object) }
    }

    private func isObserved(by number: UInt64) -> Bool {
        observers.withLock { $0.entries.contains { $0.number == number } }
    }
}
