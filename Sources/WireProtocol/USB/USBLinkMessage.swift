import CamoTypes

/// What the two ends of a USB link say to each other about the link itself.
///
/// ```
/// +---------------------------------------------------------------+
/// | magic: the 8 bytes of "camo usb"                              |
/// |                                                               |
/// +---------------+---------------+-------------------------------+
/// | kind          | version       | program       | 0             |
/// +---------------+---------------+-------------------------------+
/// | nonce of the link, chosen by the host                         |
/// |                                                               |
/// +---------------------------------------------------------------+
/// ```
package struct USBLinkMessage: Hashable, Sendable {
    package enum Kind: UInt8, Sendable {
        /// From the host: whatever came before is over. Repeated until it is answered.
        case reset = 1
        /// From the device, to each `reset`: what comes next belongs to the new link.
        case ready = 2
        /// From the host: `ready` has come, the link is open.
        case start = 3
        /// From either: nothing more will come; reading goes on.
        case end = 4
        /// From either: the link is over in both directions.
        case close = 5
    }

    package let kind: Kind
    /// Of this protocol of the link: `reset` has the highest that the host knows, `ready` the one that is spoken.
    package let version: UInt8
    package let nonce: UInt64
    /// In `reset` and `ready`, what says it: 1 is a producer, 2 a studio; nil (0) in all others, and where that is not told.
    /// It proves nothing, and is there for people alone.
    package let program: DeviceRole?

    package static let byteCount = 20
    /// The only one there is.
    package static let currentVersion: UInt8 = 1
    /// "camo usb" in ASCII.
    private static let magic: UInt64 = 0x6361_6D6F_2075_7362

    package init(
        _ kind: Kind, nonce: UInt64, version: UInt8 = currentVersion, program: DeviceRole? = nil
    ) {
        self.kind = kind
        self.version = version
        self.nonce = nonce
        self.program = program
    }

    /// Nil if it is none of these: of a later version, or what was left in a pipe. Bytes after the 20 are ignored.
    package init?(decoding bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= Self.byteCount, bytes.bigEndian(UInt64.self, at: 0) == Self.magic,
            let kind = Kind(rawValue: bytes[8]), bytes[9] >= 1
        else { return nil }
        self.init(
            kind, nonce: bytes.bigEndian(UInt64.self, at: 12), version: bytes[9],
            program: DeviceRole.allCases.first { Self.code($0) == bytes[10] })
    }

    /// - Parameter bytes: ``byteCount`` at least.
    package func encode(into bytes: UnsafeMutableRawBufferPointer) {
        bytes.storeBigEndian(Self.magic, at: 0)
        bytes[8] = kind.rawValue
        bytes[9] = version
        bytes[10] = Self.code(program)
        bytes[11] = 0
        bytes.storeBigEndian(nonce, at: 12)
    }

    private static func code(_ program: DeviceRole?) -> UInt8 {
        switch program {
        case nil: 0
        case .producer: 1
        case .studio: 2
        }
    }
}
