/// One wire unit: a header and what follows it.
package struct Packet: Hashable, Sendable {
    package var header: PacketHeader
    /// Shares the parser's memory: keep it no longer than needed, or the parser's next `append` has to copy.
    package var payload: ArraySlice<UInt8>

    package init(header: PacketHeader, payload: ArraySlice<UInt8>) {
        self.header = header
        self.payload = payload
    }
}
