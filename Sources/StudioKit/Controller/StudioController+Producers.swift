internal import Confinement
internal import TransportCore

extension StudioController {
    /// The producers that are paired or on the network now. The first access begins to look for them, so it is the
    /// delegate that tells of those found.
    public var producers: [Producer] {
        guard let browser = try? browser() else { return [] }
        return browser.producers(paired: pairedDevices)
    }

    func browser() throws(StudioError) -> ProducerBrowser {
        if let browser = try opened().browser { return browser }
        let browser = ProducerBrowser(
            onChange: { [weak self] in self?.producersChanged() },
            onUnavailable: { [weak self] in self?.report($0) })
        let taken = open.withLock { open -> ProducerBrowser? in
            guard open != nil else { return nil }
            if let present = open?.browser { return present }
            open?.browser = browser
            return browser
        }
        if taken !== browser { browser.stop() }
        guard let taken else { throw StudioError(.notRunning, "the studio was stopped") }
        return taken
    }

    func producersChanged() {
        guard let browser = open.withLock({ $0?.browser }) else { return }
        let producers = browser.producers(paired: pairedDevices)
        delegateCalls.call { [self] in $0.studioController(self, producersDidChange: producers) }
    }
}
