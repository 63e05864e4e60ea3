internal import TransportCore
internal import WireProtocol

/// Why a producer did not pair: something to decide by, and a message that says what to do.
public enum ProducerPairingError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text is not a code, or not one that this version understands.
    case invalidCode(String)
    case codeExpired(String)
    case codeUsed(String)
    /// The studio, or this end, said no.
    case refused(String)
    case cancelled
    /// The studio could not be reached, or did not answer, in 30 seconds.
    case timedOut(String)
    case unsupportedVersion(String)
    /// The key or the list of paired devices cannot be used.
    case stateUnusable(String)
    /// Another pairing is under way.
    case busy

    init(_ error: PairingCodeError) { self = .invalidCode(error.description) }

    init(_ error: PairingError) {
        let text = error.description
        self =
            switch error.failure {
            case .codeExpired: .codeExpired(text)
            case .codeUsed: .codeUsed(text)
            case .cancelled: .cancelled
            case .timeout, .linkClosed: .timedOut(text)
            case .unsupportedVersion: .unsupportedVersion(text)
            case .storeFailed: .stateUnusable(text)
            default: .refused(text)
            }
    }

    public var description: String {
        switch self {
        case .invalidCode(let text), .codeExpired(let text), .codeUsed(let text), .refused(let text),
            .timedOut(let text), .unsupportedVersion(let text), .stateUnusable(let text):
            text
        case .cancelled: "pairing was cancelled"
        case .busy: "another pairing is under way: wait for it, or cancel it"
        }
    }
}
