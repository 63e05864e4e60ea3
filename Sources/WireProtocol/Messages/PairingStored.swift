/// Pairing, producer to studio, then studio to producer: the other end is written down on this side.
package struct PairingStored: MessageBody {
    package static let name = "pairingStored"

    package init() {}
}
