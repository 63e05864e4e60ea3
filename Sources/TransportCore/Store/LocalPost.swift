internal import CLinuxShims
package import CamoTypes
internal import Confinement
package import Dispatch
internal import Glibc

/// Tells other programs of the same user how this one is doing, each time that one asks: a socket in the state directory
/// (unix(7)), one for each that runs.
///
/// Whoever connects gets the text and the end; nothing is ever read from it.
///
/// Unchecked: `watch` is touched only on `queue`.
package final class LocalPost: @unchecked Sendable {
    private static let prefix = "running-"
    /// More than anybody says.
    private static let longestText = 64 << 10
    /// How long it waits before it tries again where the process has no descriptors left.
    private static let pause = DispatchTimeInterval.milliseconds(500)
    private static let lastNumber = Locked(0)

    private let queue: DispatchQueue
    private let path: String
    private let number: Int32
    private let descriptor: Locked<FileDescriptor?>
    private let text: @Sendable () -> [UInt8]
    private var watch: DescriptorWatch?

    /// Answers from now on, until it is closed, which it has to be.
    ///
    /// - Parameters:
    ///   - directory: The state directory that the other programs share.
    ///   - queue: Serial; where `text` is called.
    ///   - text: What to say now, less than 64 KiB.
    /// - Throws: The directory takes no socket, or the process has no descriptors left.
    package init(
        in directory: StateDirectory, on queue: DispatchQueue, _ text: @escaping @Sendable () -> [UInt8]
    ) throws(TransportError) {
        let count = Self.lastNumber.withLock { last in
            last += 1
            return last
        }
        let name = "\(Self.prefix)\(getpid())-\(count)"
        path = directory.path + "/" + name
        let socket = try Self.socket()
        // Not under its name before it answers: what doesn't is taken for the rest of a process that was killed.
        let unfinished = name + ".new"
        unlink(directory.path + "/" + unfinished)
        guard try Self.at(unfinished, in: directory, { bind(socket.number, $0, $1) }) == 0,
            chmod(directory.path + "/" + unfinished, 0o600) == 0, listen(socket.number, 16) == 0,
            rename(directory.path + "/" + unfinished, path) == 0
        else { throw TransportError(errno: errno, "can't make the socket \(path)") }
        (self.queue, self.text, number) = (queue, text, socket.number)
        descriptor = Locked(consume socket)
        let watch = try DescriptorWatch(number, for: [], on: queue) { [self] _ in answer() }
        queue.async { [self] in
            watch.wanted = .reading
            self.watch = watch
        }
    }

    /// Nobody is answered any more. Any thread.
    package func close() {
        unlink(path)
        queue.async { [self] in
            watch?.cancel()
            watch = nil
            descriptor.withLock { $0 = nil }
        }
    }

    private func answer() {
        while watch != nil {
            let asker = clinux_accept(number, nil, nil)
            guard asker >= 0 else {
                guard [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(errno) else { return }
                watch?.wanted = []
                return queue.asyncAfter(deadline: .now() + Self.pause) { [self] in watch?.wanted = .reading }
            }
            let socket = FileDescriptor(adopting: asker)
            let text = text()
            // A new socket has room for all of it: net.core.wmem_default is 200 KB.
            _ = send(socket.number, text, text.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
        }
    }

    /// What all that run have to say, in the order of their processes. Sockets of processes that were killed are removed.
    ///
    /// - Parameters:
    ///   - directory: The state directory.
    ///   - patience: How long one may take.
    package static func answers(in directory: StateDirectory, patience: Microseconds = .seconds(Int64(1))) -> [[UInt8]]
    {
        guard let folder = opendir(directory.path) else { return [] }
        defer { closedir(folder) }
        var names: [String] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name.hasPrefix(prefix), !name.hasSuffix(".new") { names.append(name) }
        }
        return names.sorted { $0.utf8.count == $1.utf8.count ? $0 < $1 : $0.utf8.count < $1.utf8.count }
            .compactMap { ask($0, in: directory, patience) }
    }

    private static func ask(_ name: String, in directory: StateDirectory, _ patience: Microseconds) -> [UInt8]? {
        guard let socket = try? socket(),
            let result = try? at(name, in: directory, { connect(socket.number, $0, $1) })
        else { return nil }
        guard result == 0 else {
            if errno == ECONNREFUSED { unlink(directory.path + "/" + name) }
            return nil
        }
        let clock = SystemClock()
        let deadline = clock.now + patience
        var text: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 4096)
        while text.count < longestText {
            var entry = pollfd(fd: socket.number, events: Int16(POLLIN), revents: 0)
            guard poll(&entry, 1, PollTime.milliseconds(deadline - clock.now)) > 0 else { return nil }
            let count = recv(socket.number, &piece, piece.count, 0)
            if count == 0 { return text }
            guard count > 0 else { return nil }
            text += piece.prefix(count)
        }
        return nil
    }

    private static func socket() throws(TransportError) -> FileDescriptor {
        let type = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
        let number = Glibc.socket(AF_UNIX, type, 0)
        guard number >= 0 else { throw TransportError(errno: errno, "can't make a socket") }
        return FileDescriptor(adopting: number)
    }

    /// Calls with the address of a file of the directory, by the directory's descriptor (proc(5)): its own name may be
    /// longer than the 107 bytes that an address holds.
    private static func at(
        _ name: String, in directory: StateDirectory, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(TransportError) -> Int32 {
        let number = open(directory.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw TransportError(errno: errno, "can't open \(directory.path)") }
        let folder = FileDescriptor(adopting: number)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("/proc/self/fd/\(folder.number)/\(name)".utf8)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path) }
        return withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}
