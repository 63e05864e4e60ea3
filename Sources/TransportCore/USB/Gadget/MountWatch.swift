internal import Dispatch
internal import Glibc

/// Says when anything was mounted or unmounted, which costs nothing meanwhile.
final class MountWatch: Sendable {
    private let watch: DescriptorWatch
    private let file: Int32

    /// - Parameters:
    ///   - queue: Serial; where `changed` is called.
    ///   - changed: Called for every change, whatever it was.
    init(on queue: DispatchQueue, changed: @escaping @Sendable () -> Void) throws(TransportError) {
        // Its poll(2) tells of changes (proc(5), /proc/pid/mounts).
        file = open("/proc/self/mounts", O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard file >= 0 else { throw TransportError(errno: errno, "can't hear of mounts") }
        do throws(TransportError) {
            watch = try DescriptorWatch(file, for: .changed, on: queue) { _ in changed() }
        } catch {
            close(file)
            throw error
        }
    }

    deinit { watch.cancel { [file] in close(file) } }
}
