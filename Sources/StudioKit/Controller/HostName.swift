internal import Glibc

enum HostName {
    /// The machine's own name without its domain; `Studio` where it has none.
    static var current: String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, gethostname(base, buffer.count - 1) == 0 else { return "Studio" }
            // gethostname(2) may leave out the NUL of a name that was cut.
            buffer[buffer.count - 1] = 0
            let label = String(cString: base).prefix { $0 != "." }
            return label.isEmpty ? "Studio" : String(label)
        }
    }
}
