import CommandCore
import Glibc
import StudioKit

/// The drawing of a pairing code in a file: a secret, so nobody else may read it.
enum CodeFile {
    static func write(_ code: PairingCode, to path: String) throws(StudioError) {
        let name = path.lowercased()
        let kind: PairingCode.Drawing = name.hasSuffix(".png") ? .png : name.hasSuffix(".svg") ? .svg : .text
        guard let bytes = code.drawing(kind) else {
            throw StudioError(.system, "the pairing code does not fit a QR code; use a shorter --name")
        }
        // What is there is taken away first: writing into it would leave it as readable as it was, and a link in the
        // way could lead elsewhere.
        if unlink(path) != 0, errno != ENOENT { throw failure(path) }
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw failure(path) }
        defer { close(descriptor) }
        do throws(OutputError) {
            let text = kind == .text ? bytes + Array("\n\(code.text)\n".utf8) : bytes
            let result = text.withUnsafeBytes { bytes in
                Result { () throws(OutputError) in try OutputWriter(descriptor).write(bytes) }
            }
            try result.get()
        } catch {
            throw StudioError(.cannotWrite, "\(path): \(error)")
        }
    }

    private static func failure(_ path: String) -> StudioError {
        let number = errno
        let text = strerror(number).map { String(cString: $0) } ?? "error \(number)"
        return StudioError(
            number == EACCES || number == EPERM ? .noPermission : .cannotWrite, "cannot create \(path): \(text)")
    }
}
