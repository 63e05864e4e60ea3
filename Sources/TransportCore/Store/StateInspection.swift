internal import COpenSSLShims
internal import Glibc

/// What a state directory holds, looked at without making or mending anything.
package struct StateInspection: Hashable, Sendable {
    package enum Part: Hashable, Sendable {
        case absent
        case good
        /// A sentence that says what is wrong.
        case bad(String)
    }

    package struct File: Hashable, Sendable {
        package var path: String
        /// The permissions: 0o600.
        package var mode: UInt32
        package init(path: String, mode: UInt32) { (self.path, self.mode) = (path, mode) }
    }

    package var path: String
    /// Nil: there is no such directory yet.
    package var directoryMode: UInt32?
    /// It belongs to this user.
    package var isOwn = true
    package var files: [File] = []
    package var identity = Part.absent
    package var devices = Part.absent
    package var pairedCount = 0

    package init(path: String) { self.path = path }
}

extension StateInspection {
    /// - Parameters: As of ``StateDirectory``.
    /// - Throws: ``TransportError`` when there is no place for such a directory.
    package static func inspect(
        chosen: String?, program: String, surroundings: StateDirectory.Surroundings = .ofThisProcess
    ) throws(TransportError) -> StateInspection {
        var inspection = StateInspection(
            path: try StateDirectory.location(chosen: chosen, program: program, surroundings: surroundings))
        var status = stat()
        guard stat(inspection.path, &status) == 0 else { return inspection }
        inspection.directoryMode = status.st_mode & 0o777
        inspection.isOwn = status.st_uid == geteuid()
        inspection.identity = inspection.part(Identity.fileName) { bytes in
            Identity(pem: bytes) == nil ? "does not hold a P-256 key and its certificate" : nil
        }
        var count = 0
        inspection.devices = inspection.part(PairedDeviceFile.name) { bytes in
            guard let document = try? PairedDeviceDocument(decoding: bytes) else { return "is damaged" }
            count = document.devices.count
            return nil
        }
        inspection.pairedCount = count
        return inspection
    }

    /// Reads one file and asks what is wrong with its bytes.
    private mutating func part(_ name: String, _ fault: ([UInt8]) -> String?) -> Part {
        let path = path + "/" + name
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
        guard number >= 0 else {
            let error = errno
            return error == ENOENT ? .absent : .bad(TransportError(errno: error, "can't read \(path)").message)
        }
        let file = FileDescriptor(adopting: number)
        var status = stat()
        guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            return .bad("\(path) is not a file")
        }
        files.append(File(path: path, mode: status.st_mode & 0o777))
        guard status.st_size <= PairedDeviceDocument.maximumByteCount else { return .bad("\(path) is too long") }
        var bytes = [UInt8](repeating: 0, count: Int(status.st_size))
        // It may be the key.
        defer { bytes.withUnsafeMutableBytes { OPENSSL_cleanse($0.baseAddress, $0.count) } }
        let count = read(file.number, &bytes, bytes.count)
        guard count == bytes.count else { return .bad("\(path) could not be read whole") }
        return fault(bytes).map { .bad("\(path) \($0)") } ?? .good
    }
}
