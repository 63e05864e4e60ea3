internal import Confinement

/// The sound on a loudspeaker of this machine.
extension StudioController {
    /// Where sound is played; nil: nowhere.
    public var loudspeaker: String? { speaker.withLock { $0?.name } }

    /// Plays the sound on another loudspeaker, or on none any more. A device that goes is taken up again when it is back. It
    /// stays so over reconnections, until ``stop()``.
    ///
    /// - Parameter device: What ALSA calls it, such as `default`, or an ID or name of the list of devices; nil: none.
    /// - Throws: ``StudioError``: there is no such device, it is in use, or this process may not use it. Then sound is played
    ///   nowhere.
    public func setLoudspeaker(_ device: String?) async throws {
        // A device has one user at a time: the old one goes first.
        await endLoudspeaker()
        guard let device else { return }
        let output = try LoudspeakerOutput(device: device, nodes: loudspeakers, clock: clock) { [weak self] line in
            self?.report(line)
        }
        add(output)
        // Somebody else has chosen one meanwhile.
        let replaced = speaker.withLock { speaker in
            defer { speaker = (device, output) }
            return speaker
        }
        if let replaced { await end(replaced.output) }
    }

    func endLoudspeaker() async {
        if let (_, output) = speaker.take() { await end(output) }
    }

    private func end(_ output: LoudspeakerOutput) async {
        remove(output)
        await output.finish(within: .milliseconds(300))
    }
}
