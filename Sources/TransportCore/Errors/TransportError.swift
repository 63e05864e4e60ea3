internal import Glibc

/// What went wrong in TransportCore: a code to decide by, and a message for people that says what happened, to what,
/// and what to do about it.
package struct TransportError: Error, Hashable, Sendable, CustomStringConvertible {
    /// What kind of failure it is. Extensible: a `switch` over codes needs a default.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package var rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }
        private init(_ rawValue: String) { self.rawValue = rawValue }

        // Reaching the other end.
        package static let addressInvalid = Code("addressInvalid")
        package static let nameUnknown = Code("nameUnknown")
        package static let unreachable = Code("unreachable")
        package static let connectionRefused = Code("connectionRefused")
        package static let timedOut = Code("timedOut")
        package static let cancelled = Code("cancelled")
        package static let portInUse = Code("portInUse")

        // A connection that was there.
        package static let connectionLost = Code("connectionLost")
        /// The other end speaks something else, or breaks TLS.
        package static let handshakeFailed = Code("handshakeFailed")
        /// The other end proved to be somebody that this end doesn't accept.
        package static let peerNotTrusted = Code("peerNotTrusted")
        /// The other end doesn't accept this one.
        package static let refusedByPeer = Code("refusedByPeer")
        /// The other end speaks TLS, but wants something else of it: pairing instead of streaming, say.
        package static let applicationProtocolMismatch = Code("applicationProtocolMismatch")

        // A USB cable.
        /// This machine is set up to be no device, or nothing serves the device that it is.
        package static let gadgetMissing = Code("gadgetMissing")
        /// This machine has nothing by which it could be a device.
        package static let controllerMissing = Code("controllerMissing")

        /// The program at the other end is of the same kind as this one: two studios, or two producers.
        package static let sameKind = Code("sameKind")

        // Files.
        package static let noStateDirectory = Code("noStateDirectory")
        package static let noPermission = Code("noPermission")
        package static let diskFull = Code("diskFull")
        package static let busy = Code("busy")
        package static let identityDamaged = Code("identityDamaged")
        package static let storeDamaged = Code("storeDamaged")
        package static let deviceUnknown = Code("deviceUnknown")
        package static let deviceAmbiguous = Code("deviceAmbiguous")
        package static let tooManyDevices = Code("tooManyDevices")

        /// The operating system or a library refused something that has no code of its own.
        package static let system = Code("system")
    }

    package var code: Code
    package var message: String
    /// The `errno` behind it, if there was one.
    package var systemError: Int32?

    package init(_ code: Code, _ message: String, systemError: Int32? = nil) {
        self.code = code
        self.message = message
        self.systemError = systemError
    }

    /// A failed system call: the code follows from `number`, the message ends with the system's word for it.
    ///
    /// - Parameter code: Used instead of the code that `number` suggests.
    /// - Parameter advice: What to do about it: a sentence.
    package init(errno number: Int32, _ message: String, code: Code? = nil, advice: String? = nil) {
        self.code = code ?? Code(errno: number)
        self.message = "\(message): \(Self.text(number))" + (advice.map { ". \($0)" } ?? "")
        self.systemError = number
    }

    package var description: String { message }

    /// `errno` in words.
    static func text(_ number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}

extension TransportError.Code {
    /// What an `errno` of a socket or a file most often means.
    init(errno number: Int32) {
        switch number {
        case EADDRINUSE: self = .portInUse
        case ECONNREFUSED: self = .connectionRefused
        case ETIMEDOUT: self = .timedOut
        case ENETUNREACH, EHOSTUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: self = .unreachable
        case ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN: self = .connectionLost
        case EACCES, EPERM, EROFS: self = .noPermission
        // EFBIG is what RLIMIT_FSIZE says: no more may be written, whatever the reason.
        case ENOSPC, EDQUOT, EFBIG: self = .diskFull
        default: self = .system
        }
    }
}
