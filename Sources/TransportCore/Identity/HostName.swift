internal import Glibc

/// What this computer is called: the label of a device that was given none.
package enum HostName {
    /// gethostname(2) without the domain; `fallback` where there is no name.
    package static func current(orElse fallback: String) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { buffer in
            guard let base = buffer.baseAddress, gethostname(base, buffer.count - 1) == 0 else { return fallback }
            // gethostname(2) may leave out the NUL of a name that was cut.
            buffer[buffer.count - 1] = 0
            let label = String(cString: base).prefix { $0 != "." }
            return label.isEmpty ? fallback : String(label)
        }
    }
}
