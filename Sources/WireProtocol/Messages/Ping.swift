/// Either end, once a second after `welcome`: are you there, and what is your clock?
package struct Ping: MessageBody {
    package static let name = "ping"

    /// Comes back in the `pong`.
    package var id: UInt32

    package init(id: UInt32) { self.id = id }
}
