internal import Glibc

/// What this computer is called.
enum HostName {
    /// gethostname(2), without the domain.
    static var current: String {
        let name = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer -> String in
            guard let base = buffer.baseAddress, gethostname(base, 255) == 0 else { return "" }
            base[255] = 0
            return String(cString: base)
        }
        let first = name.prefix { $0 != "." }
        return first.isEmpty ? "Camera" : String(first)
    }
}
