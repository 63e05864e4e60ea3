/// A DNS-SD service type (RFC 6763, section 7): what is published and browsed for.
package struct ServiceType: Hashable, Sendable, CustomStringConvertible {
    /// `_name._tcp`.
    package let name: String

    package init(_ name: String) { self.name = name }

    /// A producer that serves the studios it is paired with. Real Camo devices use this type too: entries without
    /// `p=oc1` are theirs and are ignored.
    package static let camo = ServiceType("_camo._tcp")
    /// A producer that holds a pairing code and waits for the studio that shows it.
    package static let camoPairing = ServiceType("_camopairing._tcp")

    package var description: String { name }
}
