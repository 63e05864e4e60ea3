import Glibc

/// TCP ports of this machine.
enum Port {
    /// One that nobody uses now.
    static func unused() throws(BenchError) -> Int {
        let socket = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                bind(socket, pointer, length) == 0 && getsockname(socket, pointer, &length) == 0
            }
        }
        guard result else { throw BenchError("no TCP port: \(String(cString: strerror(errno)))") }
        return Int(UInt16(bigEndian: address.sin_port))
    }

    /// Whether somebody listens there. Looked up, not dialled: some listeners take one connection only.
    static func isListening(_ port: Int) -> Bool {
        let digits = String(port, radix: 16, uppercase: true)
        let wanted = ":" + String(repeating: "0", count: 4 - digits.count) + digits
        // proc_net(5): local address, remote address, state; 0A is TCP_LISTEN.
        return ["/proc/net/tcp", "/proc/net/tcp6"].contains { file in
            (readFile(file) ?? "").split(separator: "\n").contains { line in
                let fields = line.split(separator: " ", maxSplits: 4)
                return fields.count > 3 && fields[1].hasSuffix(wanted) && fields[3] == "0A"
            }
        }
    }

    static func wait(for port: Int, of child: Child) throws(BenchError) {
        for _ in 0..<1000 {
            if isListening(port) { return }
            if let status = child.exitStatus {
                throw BenchError("\(child.name) ended with \(status) before it listened\(child.lastWords)")
            }
            usleep(10_000)
        }
        throw BenchError("\(child.name) does not listen on port \(port) after 10 s\(child.lastWords)")
    }
}
