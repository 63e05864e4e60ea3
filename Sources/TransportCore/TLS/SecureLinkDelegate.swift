package import CamoTypes

/// The owner of a ``SecureLink``. Every call comes on the link's queue.
package protocol SecureLinkDelegate: AnyObject, Sendable {
    /// The handshake is done and both ends agree on what to speak; `peer` has proven its key.
    ///
    /// The producer gets here before the studio has judged it (TLS 1.3 ends that way): if it doesn't accept this
    /// device, `secureLinkDidClose` follows with `refusedByPeer`.
    func secureLinkDidConnect(_ link: SecureLink, peer: DeviceID)

    /// Some bytes of the stream, cut anywhere, at most 64 KiB; good during the call only.
    func secureLink(_ link: SecureLink, didReceive bytes: UnsafeRawBufferPointer)

    /// The pipe can take one packet: which? Nil when there is none; then it isn't asked again before `wake`.
    ///
    /// That it is asked again also says that the packet before is out but for a few kilobytes.
    func secureLinkNextPacket(_ link: SecureLink) -> [UInt8]?

    /// The link is closed and its socket given back. Once, and the last call.
    ///
    /// - Parameter error: Nil when either end closed it in an orderly way.
    func secureLinkDidClose(_ link: SecureLink, error: TransportError?)
}
