import Foundation

/// As little of TCP as it takes to see that an address works.
enum PlainSocket {
    /// Connects and closes. Blocks; nil when it went well.
    static func connect(to host: String, port: UInt16) -> String? {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let code = getaddrinfo(host, "\(port)", &hints, &list)
        defer { freeaddrinfo(list) }
        guard code == 0, let address = list?.pointee else { return String(cString: gai_strerror(code)) }
        let socket = socket(address.ai_family, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(socket) }
        guard Glibc.connect(socket, address.ai_addr, address.ai_addrlen) == 0 else {
            return String(cString: strerror(errno))
        }
        return nil
    }

    /// Accepts on all addresses of both families and closes what comes, on a thread of its own.
    static func serve(port: UInt16) -> Bool {
        let listener = socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
        var yes: Int32 = 1
        var no: Int32 = 0
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        setsockopt(listener, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, socklen_t(MemoryLayout<sockaddr_in6>.size))
            }
        }
        guard bound == 0, listen(listener, 16) == 0 else { return false }
        Thread.detachNewThread {
            while true {
                let connection = accept(listener, nil, nil)
                if connection >= 0 { close(connection) }
            }
        }
        return true
    }
}
