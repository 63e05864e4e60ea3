/// What is wrong with the text of a pairing code. Never contains the text: it may hold the secret.
package enum PairingCodeError: Error, Hashable, Sendable, CustomStringConvertible {
    case empty
    case tooLong(byteCount: Int)
    case notACode
    case lineBreakInside
    case invalidCharacter
    case malformedField(position: Int)
    case missing(key: String)
    case repeated(key: String)
    case unsupportedVersion(String)
    case invalidKey
    case keyNotCanonical
    case invalidSecret
    case secretNotCanonical
    case invalidEscape(key: String)
    case notUTF8(key: String)
    case invalidAddress(String)
    case tooManyAddresses(Int)

    package var description: String {
        switch self {
        case .empty: "the pairing code is empty; copy the line that begins with camo:pair?"
        case .tooLong(let count):
            "the pairing code has \(count) bytes, at most \(Limits.codeByteCount) are allowed; copy only the code"
        case .notACode: "this is not a pairing code: it has to begin with camo:pair?"
        case .lineBreakInside: "the pairing code is broken into several lines; paste it as one line"
        case .invalidCharacter: "the pairing code contains a character that no code has; copy it again"
        case .malformedField(let position):
            "field \(position) of the pairing code is not of the form key=value; copy the code again"
        case .missing(let key): "the pairing code lacks \(key)=; it may have been cut off: copy it again"
        case .repeated(let key): "the pairing code contains \(key)= more than once; copy it again"
        case .unsupportedVersion(let version):
            "the pairing code has version \(version), this program reads version \(PairingCode.version); "
                + "update the older of the two programs"
        case .invalidKey: "the key (k=) of the pairing code is damaged; copy the code again"
        case .keyNotCanonical: "the key (k=) of the pairing code has stray bits at its end; copy the code again"
        case .invalidSecret: "the secret (s=) of the pairing code is damaged; copy the code again"
        case .secretNotCanonical: "the secret (s=) of the pairing code has stray bits at its end; copy the code again"
        case .invalidEscape(let key): "\(key)= in the pairing code contains a % that no two digits follow"
        case .notUTF8(let key): "\(key)= in the pairing code is not UTF-8"
        case .invalidAddress(let address): "\(address) in the pairing code is not an address of the form host:port"
        case .tooManyAddresses(let count):
            "the pairing code has \(count) addresses, at most \(Limits.codeAddressCount) are allowed"
        }
    }
}
