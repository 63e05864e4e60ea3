internal import Confinement
internal import TransportCore

/// A code that is being shown, and who waits for what comes of it.
final class PairingInProgress: Sendable {
    typealias Outcome = Result<PairedDevice, StudioError>

    let session: StudioPairingSession
    private let first = FirstValue<Outcome>()

    init(_ session: StudioPairingSession) { self.session = session }

    /// The first outcome counts: `tell` is called for it, before those who wait go on.
    func finish(_ outcome: Outcome, tell: () -> Void = {}) { first.set(outcome, first: tell) }

    /// Waits for the outcome. A task that is cancelled waits no longer; the code stays good.
    func outcome() async -> Outcome {
        await first.wait() ?? .failure(StudioError(.cancelled, "nobody waits for the pairing any more"))
    }
}
