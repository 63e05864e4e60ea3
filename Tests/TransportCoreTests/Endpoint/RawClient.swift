import Foundation
import Glibc

@testable import TransportCore

/// A TCP client that speaks nothing of ours: for what strangers do.
final class RawClient: Sendable {
    private let descriptor: Int32

    struct Failure: Error { let number: Int32 }

    init(port: UInt16) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        let own = descriptor
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                Glibc.connect(own, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw Failure(number: errno) }
    }

    deinit { close(descriptor) }

    func send(_ bytes: [UInt8]) { _ = Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) }

    /// All that comes until the other end closes, or for `seconds`.
    func receiveAll(seconds: Int = 10) async -> (bytes: [UInt8], isClosed: Bool) {
        await withCheckedContinuation { continuation in
            let own = descriptor
            // A blocking read has a thread of its own.
            let thread = Thread {
                var limit = timeval(tv_sec: seconds, tv_usec: 0)
                setsockopt(own, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
                var all: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = recv(own, &buffer, buffer.count, 0)
                    if count <= 0 {
                        return continuation.resume(returning: (all, count == 0 || errno == ECONNRESET))
                    }
                    all += buffer[..<count]
                }
            }
            thread.start()
        }
    }

    /// The other end closes and has sent nothing.
    func isClosedWithoutAWord() async -> Bool {
        let (bytes, isClosed) = await receiveAll()
        return bytes.isEmpty && isClosed
    }
}
