internal import Glibc
internal import TransportCore

/// Tries sockets and lets go of them.
enum PortProbe {
    /// Why this TCP port cannot be waited at; nil: it can. As the producer and the studio would, with IPv6 or without.
    static func problem(_ port: Int) -> String? {
        TCPListener.refusal(ofPort: UInt16(clamping: port)).map { error in
            error.systemError.map { String(cString: strerror($0)) } ?? "\(error)"
        }
    }

    /// connect(2) to a socket in the file system: 0, or the errno.
    static func connect(toSocket path: String) -> Int32 {
        let descriptor = socket(
            AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
        guard descriptor >= 0 else { return errno }
        defer { close(descriptor) }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { buffer in
            guard path.utf8.count < buffer.count else { return false }
            buffer.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { return ENAMETOOLONG }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        return result == 0 ? 0 : errno
    }
}
