internal import Confinement
package import Dispatch
internal import Glibc

/// Whether the producers of an installation are paused: a file in its state directory. It outlasts programs and power
/// cuts, and those that run hear of it at once.
package final class PauseMark: Sendable {
    private static let name = "paused"

    private let directory: StateDirectory
    private let path: String
    private let watch = Locked<FileWatch?>(nil)

    package init(in directory: StateDirectory) {
        self.directory = directory
        path = directory.path + "/" + Self.name
    }

    /// What can't be looked at counts as set: it is there to protect somebody.
    package var isSet: Bool { access(path, F_OK) == 0 || errno != ENOENT }

    /// - Throws: The file can't be made or removed.
    package func set(_ isPaused: Bool) throws(TransportError) {
        let lock = try directory.lock()
        defer { withExtendedLifetime(lock) {} }
        if isPaused { return try directory.file(Self.name).replace(with: []) }
        guard unlink(path) == 0 || errno == ENOENT else {
            throw TransportError(errno: errno, "can't remove \(path)")
        }
    }

    /// Tells each time that it has changed, by whatever process, until this object is gone.
    package func observe(on queue: DispatchQueue, _ changed: @escaping @Sendable (Bool) -> Void) {
        let known = Locked(isSet)
        let watch = FileWatch(path: path, queue: queue) { [weak self] in
            guard let isSet = self?.isSet else { return }
            let isNews = known.withLock { known in
                defer { known = isSet }
                return known != isSet
            }
            if isNews { changed(isSet) }
        }
        self.watch.withLock { $0 = watch }
    }
}
