/// Why a pairing did not come about.
package enum PairingFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// The other end said so; its reason.
    case refused(Goodbye)
    /// The other end's proof is wrong, or the other end says so of this one's.
    case wrongProof
    /// Too many wrong proofs came from this address.
    case addressRefused
    case codeExpired
    case codeUsed
    case cancelled
    /// The other end is not the one whose key is in the code.
    case wrongDevice
    /// A studio where a producer should be, or the other way round.
    case wrongRole
    case unsupportedVersion(theirs: [Int])
    case timeout
    /// The other device could not be written down at this end.
    case storeFailed
    case protocolError(String)
    /// The link broke.
    case linkClosed

    package var description: String {
        switch self {
        case .refused(let goodbye):
            "the other end refused to pair (\(goodbye.reason.rawValue))" + (goodbye.text.map { ": \($0)" } ?? "")
        case .wrongProof:
            "the code is not the one that the studio shows now, or too many wrong ones came from there; make a new code"
        case .addressRefused: "too many wrong codes came from this address; make a new code"
        case .codeExpired: "the code is past its time; make a new code"
        case .codeUsed: "the code has been used by another device; make a new code"
        case .cancelled: "pairing was cancelled"
        case .wrongDevice: "the device that answered is not the one that made the code; make a new code there"
        case .wrongRole: "both ends are of the same kind; pair a producer with a studio"
        case .unsupportedVersion(let theirs):
            "the other end speaks version \(ProtocolVersion.list(theirs)) of the protocol, this one "
                + "\(ProtocolVersion.list(ProtocolVersion.supported)); update the older program"
        case .timeout:
            "the other end did not answer in time; a code that was used or has expired is answered no more: make a new "
                + "one"
        case .storeFailed: "the other device could not be stored here"
        case .protocolError(let detail): "the other end broke the protocol: \(detail); update both programs"
        case .linkClosed: "the connection broke before pairing was done"
        }
    }
}
