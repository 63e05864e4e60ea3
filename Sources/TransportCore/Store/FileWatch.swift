internal import Dispatch
internal import Glibc

/// Says when a file was changed, replaced or removed by anybody: by inotify(7) on its directory, or by looking twice a
/// second where that can't be had (all inotify instances of the user are taken).
final class FileWatch: Sendable {
    private let end: @Sendable () -> Void

    /// - Parameters:
    ///   - path: The file's; its directory has to be there.
    ///   - queue: Any, a concurrent one too.
    ///   - changed: Called on `queue`, one call after the other, perhaps without a cause.
    init(path: String, queue: DispatchQueue, changed: @escaping @Sendable () -> Void) {
        // What waits for a descriptor needs a serial one.
        let queue = DispatchQueue(label: "camo.file.watch", target: queue)
        end = Self.notifications(path, queue, changed) ?? Self.looks(path, queue, changed)
    }

    deinit { end() }

    // Both of these begin, and return what ends it.

    private static func notifications(
        _ path: String, _ queue: DispatchQueue, _ changed: @escaping @Sendable () -> Void
    ) -> (@Sendable () -> Void)? {
        let number = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
        guard number >= 0 else { return nil }
        // The file itself is replaced: a watch on it would stay with the old one.
        let mask = IN_MOVED_TO | IN_MOVED_FROM | IN_CLOSE_WRITE | IN_DELETE | IN_ONLYDIR
        guard inotify_add_watch(number, path.parentDirectory, UInt32(mask)) >= 0 else {
            close(number)
            return nil
        }
        let name = path.dropFirst(path.parentDirectory.count).drop { $0 == "/" }
        let watch = try? DescriptorWatch(number, for: .reading, on: queue) { _ in
            if Self.concerns(String(name), number) { changed() }
        }
        guard let watch else {
            close(number)
            return nil
        }
        return { watch.cancel { close(number) } }
    }

    /// Takes the events that are there. True if one is about `name`, or about nothing in particular.
    private static func concerns(_ name: String, _ number: Int32) -> Bool {
        var isConcerned = false
        withUnsafeTemporaryAllocation(byteCount: 4 << 10, alignment: MemoryLayout<inotify_event>.alignment) { buffer in
            while true {
                let count = read(number, buffer.baseAddress, buffer.count)
                guard count > 0 else { return }
                var rest = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                let headerSize = MemoryLayout<inotify_event>.size
                while rest.count >= headerSize {
                    let event = rest.loadUnaligned(as: inotify_event.self)
                    let end = min(rest.count, headerSize + Int(event.len))
                    // Padded with zeros.
                    let about = rest[headerSize..<end].prefix { $0 != 0 }
                    if about.isEmpty || about.elementsEqual(name.utf8) { isConcerned = true }
                    rest = UnsafeRawBufferPointer(rebasing: rest[end...])
                }
            }
        }
        return isConcerned
    }

    private static func looks(
        _ path: String, _ queue: DispatchQueue, _ changed: @escaping @Sendable () -> Void
    ) -> @Sendable () -> Void {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .milliseconds(500), repeating: .milliseconds(500))
        timer.setEventHandler(handler: changed)
        timer.activate()
        // Dispatch sources are classes that any thread may use, but not declared so.
        nonisolated(unsafe) let running = timer
        return { running.cancel() }
    }
}
