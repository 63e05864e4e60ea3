internal import COpenSSLShims

extension Identity {
    static let fileName = "identity.pem"
    /// A key and a certificate have 700 bytes in PEM.
    private static let fileLimit = 16 << 10

    /// The identity that lives in `directory`; made there the first time, once, however many processes start at once.
    ///
    /// A damaged file is an error and stays as it is: a new key would be a new device, which nobody is paired with.
    package static func loadOrCreate(in directory: StateDirectory) throws(TransportError) -> Identity {
        let file = directory.file(fileName)
        // Without the lock first: most starts find it, and a directory that can only be read is good enough then.
        if let identity = try load(from: file) { return identity }
        let lock = try directory.lock()
        if let identity = try load(from: file) { return identity }
        let identity = try Identity.generate()
        var pem = try identity.pem()
        defer { pem.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        try file.replace(with: pem)
        _ = consume lock
        return identity
    }

    private static func load(from file: StateFile) throws(TransportError) -> Identity? {
        guard var pem = try file.read(atMost: fileLimit) else { return nil }
        defer { pem.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        guard pem.count <= fileLimit, let identity = Identity(pem: pem) else {
            let what = pem.isEmpty ? "is empty" : "does not hold a P-256 key and its certificate"
            throw TransportError(
                .identityDamaged,
                "the key of this installation is damaged: \(file.path) \(what). Put back a copy of it, or remove it to "
                    + "begin with a new key: every device then has to be paired again")
        }
        return identity
    }
}
