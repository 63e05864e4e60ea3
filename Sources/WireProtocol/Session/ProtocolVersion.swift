/// Versions of what follows `hello`; the packets and the smallest `hello` are the same in all of them.
package enum ProtocolVersion {
    /// Newest first.
    package static let supported = [1]

    /// The newest version that both speak.
    package static func best(of offered: [Int]) -> Int? { supported.first(where: offered.contains) }

    /// `1`, `1, 2`, or `none`.
    package static func list(_ versions: [Int]) -> String {
        versions.isEmpty ? "none" : versions.map(String.init).joined(separator: ", ")
    }
}
