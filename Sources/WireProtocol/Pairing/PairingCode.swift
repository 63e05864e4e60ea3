import CamoTypes

/// What a studio shows and a producer reads, once:
/// `camo:pair?v=1&k=<SPKI hash>&s=<secret>&n=<name>&a=<host:port>[&a=…]`.
///
/// It carries no time: the studio that shows it judges how long it is good for. Its exact text goes into the proofs,
/// so that nothing in it can be changed on the way.
package struct PairingCode: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible {
    package static let version = 1
    package static let secretByteCount = 16
    /// How each of them begins.
    package static let start = PairingCodeText.start

    /// The exact text that was parsed, without white space around it. Holds the secret: never into a log.
    package let text: String
    /// The studio's key.
    package let key: DeviceID
    /// 16 bytes, random for each code.
    package let secret: [UInt8]
    /// A label of the studio, cleaned.
    package let name: String
    /// Where the studio listens: `host:port` or `[v6]:port`, at most 4, perhaps none.
    package let addresses: [String]

    /// Without the secret.
    package var description: String { "pairing code of \(name) (\(key.fingerprint))" }
    package var debugDescription: String { description }

    /// Makes a code. Addresses that are not `host:port`, and what does not fit into ``Limits/codeByteCount``, are left
    /// out; the name is cut and further addresses are left out where that keeps the code within
    /// ``Limits/codeByteCountWanted``.
    ///
    /// - Parameter secret: 16 random bytes.
    /// - Returns: Nil unless `secret` has 16 bytes.
    package init?(key: DeviceID, secret: [UInt8], name: String, addresses: [String]) {
        guard secret.count == Self.secretByteCount else { return nil }
        let usable = addresses.filter(PairingCodeText.isAddress).prefix(Limits.codeAddressCount)
        let name = DeviceName(name, fallback: "Studio").text
        let text = PairingCodeText.compose(key: key, secret: secret, name: name, addresses: Array(usable))
        // By way of the text, so that what is shown and what is checked cannot differ.
        guard let parsed = try? PairingCode.parse(text) else { return nil }
        self = parsed
    }

    fileprivate init(text: String, key: DeviceID, secret: [UInt8], name: String, addresses: [String]) {
        self.text = text
        self.key = key
        self.secret = secret
        self.name = name
        self.addresses = addresses
    }
}

extension PairingCode {
    /// Reads a code that somebody pasted, typed or photographed. White space around it does not count.
    package static func parse(_ text: String) throws(PairingCodeError) -> PairingCode {
        let text = PairingCodeText.trimmed(text)
        let fields = try PairingCodeText.fields(of: text)

        guard let version = try single("v", in: fields) else { throw .missing(key: "v") }
        guard Array(version) == Array(String(Self.version).utf8) else {
            // Only what can be a version is repeated.
            let digits = version.count <= 9 && version.allSatisfy { (0x30...0x39).contains($0) }
            throw .unsupportedVersion(digits && !version.isEmpty ? String(decoding: version, as: UTF8.self) : "?")
        }
        guard let key = try single("k", in: fields) else { throw .missing(key: "k") }
        guard let secret = try single("s", in: fields) else { throw .missing(key: "s") }
        guard let id = DeviceID(bytes: try decode(key, .invalidKey, .keyNotCanonical)) else { throw .invalidKey }
        let secretBytes = try decode(secret, .invalidSecret, .secretNotCanonical)
        guard secretBytes.count == secretByteCount else { throw .invalidSecret }
        return PairingCode(
            text: text, key: id, secret: secretBytes,
            name: DeviceName(try value(of: try single("n", in: fields) ?? [], key: "n"), fallback: "Studio").text,
            addresses: try addresses(in: fields))
    }

    private static func addresses(in fields: [PairingCodeText.Field]) throws(PairingCodeError) -> [String] {
        var addresses: [String] = []
        for field in fields where field.key == "a" {
            let address = try value(of: field.value, key: "a")
            guard PairingCodeText.isAddress(address) else {
                throw .invalidAddress(DeviceName(address, fallback: "a=").text)
            }
            addresses.append(address)
        }
        guard addresses.count <= Limits.codeAddressCount else { throw .tooManyAddresses(addresses.count) }
        return addresses
    }

    private static func single(
        _ key: String, in fields: [PairingCodeText.Field]
    ) throws(PairingCodeError) -> ArraySlice<UInt8>? {
        let found = fields.filter { $0.key == key }
        guard found.count <= 1 else { throw .repeated(key: key) }
        return found.first?.value
    }

    private static func decode(
        _ text: ArraySlice<UInt8>, _ malformed: PairingCodeError, _ notCanonical: PairingCodeError
    ) throws(PairingCodeError) -> [UInt8] {
        do throws(Base64URL.Flaw) {
            return try Base64URL.bytes(text)
        } catch {
            switch error {
            case .malformed: throw malformed
            case .notCanonical: throw notCanonical
            }
        }
    }

    private static func value(of text: ArraySlice<UInt8>, key: String) throws(PairingCodeError) -> String {
        do throws(PercentEncoding.Flaw) {
            return try PercentEncoding.value(text)
        } catch {
            switch error {
            case .brokenEscape: throw .invalidEscape(key: key)
            case .notUTF8: throw .notUTF8(key: key)
            }
        }
    }
}
