internal import Confinement
internal import TransportCore

extension StudioController {
    /// Makes a code, opens a port for it, and waits for a producer to use it: once, and for `validFor` at most.
    ///
    /// The result comes to the delegate and to ``waitForPairing()``. A code that is open already is cancelled.
    ///
    /// - Parameters:
    ///   - validFor: 5 minutes unless said otherwise.
    ///   - port: A TCP port that producers are to dial; 0: any that is free.
    /// - Throws: ``StudioError`` when the port is in use or the state directory cannot be written.
    public func pair(validFor: Microseconds = .seconds(Int64(300)), port: UInt16 = 0) throws -> PairingCode {
        try pair(validFor: validFor, port: port, addresses: nil, isDiscovering: true)
    }

    /// - Parameter addresses: hosts to name in the code; nil: this machine's own.
    package func pair(
        validFor: Microseconds, port: UInt16, addresses: [String]?, isDiscovering: Bool
    ) throws -> PairingCode {
        do throws(StudioError) {
            cancelPairing()
            let identity = try identity()
            let store = try opened().store
            // Filled before the session can tell anything: its events come on its own queue, after `init`.
            let box = Locked<PairingInProgress?>(nil)
            let session: StudioPairingSession
            do throws(TransportError) {
                session = try StudioPairingSession(
                    identity: identity, store: store, name: name, product: configuration.product, validFor: validFor,
                    port: port, addresses: addresses, isDiscovering: isDiscovering, clock: clock
                ) { [weak self] event in
                    if let pairing = box.withLock({ $0 }) { self?.pairingTold(event, pairing) }
                }
            } catch {
                throw StudioError(error)
            }
            let pairing = PairingInProgress(session)
            box.withLock { $0 = pairing }
            let isOpen = open.withLock { open in
                open?.pairing = pairing
                return open != nil
            }
            guard isOpen else {
                session.stop()
                throw StudioError(.notRunning, "the studio was stopped")
            }
            return PairingCode(
                text: session.code.text, fingerprint: identity.id.fingerprint, expiry: session.expiry)
        } catch {
            delegateCalls.call { [self] in $0.studioController(self, didFailToPair: error) }
            throw error
        }
    }

    /// Waits until the code that ``pair(validFor:port:)`` made is used.
    ///
    /// - Throws: ``StudioError``: `codeExpired`, `cancelled`; `notRunning` when there is no code.
    public func waitForPairing() async throws -> PairedDevice {
        guard let pairing = try opened().pairing else {
            throw StudioError(.notRunning, "there is no pairing code; make one first")
        }
        return try await pairing.outcome().get()
    }

    /// Takes the code back. Nothing happens when there is none, or it is used already.
    public func cancelPairing() {
        let pairing = open.withLock { open in
            defer { open?.pairing = nil }
            return open?.pairing
        }
        guard let pairing else { return }
        pairing.session.cancel()
        end(pairing, .failure(StudioError(.cancelled, "pairing was cancelled")))
    }

    /// The devices this studio is paired with; none before ``start()``.
    public var pairedDevices: [PairedDevice] { open.withLock { $0?.store.devices } ?? [] }

    /// A paired device by its ID, the ID's beginning, or its name.
    ///
    /// - Throws: ``StudioError``: none or several fit.
    public func pairedDevice(matching text: String) throws -> PairedDevice {
        do {
            return try opened().store.device(matching: text)
        } catch let error as TransportError {
            throw StudioError(error)
        }
    }

    /// Forgets a device, for good: it is shown out at once, and has to be paired again.
    public func removePairedDevice(_ id: DeviceID) async throws {
        do throws(StudioError) {
            let store = try opened().store
            let removed = await offThread { () -> Result<PairedDevice?, TransportError> in
                Result { () throws(TransportError) in try store.remove(id) }
            }
            switch removed {
            case .success(let device?):
                delegateCalls.call { [self] in $0.studioController(self, didRemove: device) }
            case .success(nil): throw StudioError(.unknownDevice, "no device with the ID \(id.short) is paired")
            case .failure(let error): throw StudioError(error)
            }
        } catch {
            delegateCalls.call { [self] in $0.studioController(self, didFailToRemovePairedDevice: error) }
            throw error
        }
    }

    func pairedOverCable(_ device: PairedDevice) {
        delegateCalls.call { [self] in $0.studioController(self, didPairWith: device) }
    }

    private func pairingTold(_ event: StudioPairingSession.Event, _ pairing: PairingInProgress) {
        switch event {
        case .paired(let device): end(pairing, .success(device))
        case .expired:
            end(pairing, .failure(StudioError(.codeExpired, "nobody used the pairing code in time; make a new one")))
        case .cancelled: end(pairing, .failure(StudioError(.cancelled, "pairing was cancelled")))
        case .attemptFailed(let address, let reason): report("\(address) could not pair: \(reason)")
        case .discoveryUnavailable(let why): report(why)
        }
    }

    private func end(_ pairing: PairingInProgress, _ result: Result<PairedDevice, StudioError>) {
        pairing.finish(result) {
            delegateCalls.call { [self] delegate in
                switch result {
                case .success(let device): delegate.studioController(self, didPairWith: device)
                case .failure(let error): delegate.studioController(self, didFailToPair: error)
                }
            }
        }
    }
}
