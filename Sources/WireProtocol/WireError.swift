/// What a peer did against the protocol. The link it came from is closed with `goodbye(protocolError)`.
package struct WireError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Extensible: compare with the constants, never switch over all of them.
    package struct Code: RawRepresentable, Hashable, Sendable {
        package let rawValue: String
        package init(rawValue: String) { self.rawValue = rawValue }

        /// A packet is longer than ``Limits/packetByteCount``.
        package static let packetTooLong = Code(rawValue: "packetTooLong")
        /// A packet type from 128 to 255.
        package static let reservedPacketType = Code(rawValue: "reservedPacketType")
        /// Fewer than 16 bytes where a header should be.
        package static let headerTooShort = Code(rawValue: "headerTooShort")
        /// A packet of another type or stream than the one it was handed to, control on a stream other than 0, or a
        /// stream that is announced with an id of the other end's or one in use.
        package static let wrongStream = Code(rawValue: "wrongStream")
        /// More than ``Limits/streamCount`` streams at a time.
        package static let tooManyStreams = Code(rawValue: "tooManyStreams")
        /// A first piece without room for length and number.
        package static let unitHeaderTooShort = Code(rawValue: "unitHeaderTooShort")
        /// A unit announces more bytes than its type may have, or none.
        package static let unitLengthOutOfRange = Code(rawValue: "unitLengthOutOfRange")
        /// The pieces of a unit do not add up to the announced length.
        package static let unitLengthMismatch = Code(rawValue: "unitLengthMismatch")
        /// A piece in the middle of nothing, or a first piece in the middle of another unit.
        package static let pieceOutOfOrder = Code(rawValue: "pieceOutOfOrder")
        /// A unit number that is not ahead of the last one.
        package static let unitNumberOutOfOrder = Code(rawValue: "unitNumberOutOfOrder")
        /// A control message that was cut: they are sent whole or not at all.
        package static let controlCut = Code(rawValue: "controlCut")
        /// A control message that is not the JSON object it should be.
        package static let invalidMessage = Code(rawValue: "invalidMessage")
        /// A message in a state that has no place for it.
        package static let unexpectedMessage = Code(rawValue: "unexpectedMessage")
        /// More than ``Limits/byteCountBeforeWelcome`` bytes before `welcome`.
        package static let tooMuchBeforeWelcome = Code(rawValue: "tooMuchBeforeWelcome")
    }

    package let code: Code
    /// What happened, for a log: contains nothing secret and no text of the peer that was not cleaned.
    package let detail: String

    package init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    package var description: String {
        "the other end broke the protocol (\(code.rawValue)): \(detail); if it goes on, update both programs"
    }
}
