/// Producer to studio: what it can do has changed (a camera with other abilities, a loudspeaker that came or went).
package struct CapabilitiesChanged: MessageBody {
    package static let name = "capabilitiesChanged"

    /// All of them, not the difference.
    package var capabilities: Capabilities

    package init(capabilities: Capabilities) { self.capabilities = capabilities }
}
