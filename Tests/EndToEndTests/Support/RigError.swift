import Glibc

/// Why a test could not go on: what happened, to what, and what was seen until then.
struct RigError: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }

    /// The last call's errno.
    init(errno code: Int32, _ what: String) { description = "\(what): \(String(cString: strerror(code)))" }
}
