/// Media servers, beside or instead of studios.
extension ProducerController {
    /// Sends the stream to a media server from now on, until ``stopPublishing(to:)`` or ``stop()``, and tries again when
    /// the server goes away. What is sent is the encode that studios watch in the producer's own definition, with sound as
    /// AAC. ``pause()`` holds for it, too.
    ///
    /// Whoever has the address is trusted: nobody is asked, and what `rtmp`, `rtsp` and `udp` carry anybody on the way can
    /// see. How it goes is told by ``ProducerControllerDelegate/producerController(_:publishingTo:stateDidChangeTo:)``.
    ///
    /// - Throws: ``ProducerError``: the controller is stopped (``ProducerConfiguration/publishing`` is for `start()`), or
    ///   the process has no thread or descriptor left.
    public func startPublishing(to target: PublishTarget) throws {
        guard let service else {
            throw ProducerError(.unavailable, "cannot publish: the producer is stopped; start it first")
        }
        try service.publishers.start(target)
    }

    /// Ends the stream to that server, within a second.
    public func stopPublishing(to target: PublishTarget) { service?.publishers.stop(target) }

    /// The servers that are published to, and how it goes.
    public var publications: [PublishTarget: PublishingState] { service?.publishers.states ?? [:] }

    func publishingDidChange(_ target: PublishTarget, _ state: PublishingState) {
        calls.call { [self] in $0.producerController(self, publishingTo: target, stateDidChangeTo: state) }
    }
}
