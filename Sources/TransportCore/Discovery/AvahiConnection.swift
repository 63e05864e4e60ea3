internal import CAvahi

/// The owner of an AvahiClient: one connection to the daemon, over one private D-Bus connection.
///
/// Whatever is made from a client dies with it (avahi_client_free), so owners of such objects keep their connection and
/// free theirs only while ``client`` is there. On Avahi's thread only.
final class AvahiConnection {
    enum State: Equatable {
        /// The bus is there, the daemon is not (yet).
        case waiting
        /// The daemon is settling its host name; nothing can be published now.
        case settling
        case running
        /// The connection is of no more use.
        case broken
    }

    /// Nil once closed.
    private(set) var client: OpaquePointer?
    private(set) var state = State.waiting
    private let onChange: () -> Void

    /// Fails where there is no bus. AVAHI_CLIENT_NO_FAIL: no daemon is not a failure but ``State/waiting``.
    init(api: UnsafePointer<AvahiPoll>, onChange: @escaping () -> Void) throws(AvahiError) {
        self.onChange = onChange
        var code: Int32 = 0
        // The first call of the callback comes before avahi_client_new returns.
        let context = Unmanaged.passUnretained(self).toOpaque()
        client = avahi_client_new(api, AVAHI_CLIENT_NO_FAIL, avahiClientChanged, context, &code)
        guard client != nil else { throw AvahiError(code: code) }
    }

    deinit { close() }

    /// Frees the client and all that was made from it. Closes its bus connection first, so it makes no call that could
    /// hang; the daemon withdraws our services when it sees us go.
    func close() {
        guard let client else { return }
        self.client = nil
        state = .broken
        avahi_client_free(client)
    }

    /// The error of the last call that failed.
    var lastError: AvahiError {
        AvahiError(code: client.map { avahi_client_errno($0) } ?? Int32(AVAHI_ERR_DISCONNECTED))
    }

    fileprivate func changed(to state: AvahiClientState) {
        switch state {
        case AVAHI_CLIENT_S_RUNNING: self.state = .running
        case AVAHI_CLIENT_S_REGISTERING, AVAHI_CLIENT_S_COLLISION: self.state = .settling
        case AVAHI_CLIENT_CONNECTING: self.state = .waiting
        // AVAHI_CLIENT_FAILURE, and AVAHI_SERVER_FAILURE handed through.
        default: self.state = .broken
        }
        onChange()
    }
}

/// An error code of Avahi.
struct AvahiError: Error, Equatable, CustomStringConvertible {
    let code: Int32

    var description: String { avahi_strerror(code).map { String(cString: $0) } ?? "error \(code)" }
}

private func avahiClientChanged(
    _: OpaquePointer?, state: AvahiClientState, context: UnsafeMutableRawPointer?
) {
    guard let context else { return }
    Unmanaged<AvahiConnection>.fromOpaque(context).takeUnretainedValue().changed(to: state)
}
