internal import Dispatch
internal import TransportCore

/// Privacy: studios stay connected and see that there is nothing to see.
extension ProducerController {
    /// Whether camera and microphone are withheld, by ``pause()`` or by `camo-producer pause`.
    public var isPaused: Bool { paused.withLock(\.self) }

    /// Withholds camera and microphone from all studios and media servers, which are sent a placeholder and silence: when
    /// this has returned nothing but the picture that is being encoded at this moment goes out. Devices are closed within a second; what a
    /// program enqueues is dropped. It stays so over ``stop()`` and ``start()``, until ``resume()``.
    public func pause() { setPaused(true) }

    /// Goes on, also where `camo-producer pause` has paused it. The first picture is a keyframe.
    public func resume() { setPaused(false) }

    private func setPaused(_ isPaused: Bool) {
        paused.withLock { paused in
            guard paused != isPaused else { return }
            paused = isPaused
            if isPaused { service?.pause() } else { service?.resume() }
            calls.call { [self] in $0.producerController(self, pauseDidChange: isPaused) }
        }
    }

    /// What was said for all producers of the installation is said to this one, now and from now on.
    func followPauseMark(_ mark: PauseMark) {
        mark.observe(on: .global()) { [weak self] in self?.setPaused($0) }
        if mark.isSet { pause() }
    }

    /// Says so for all producers of an installation: those that run, in whatever program, and those that will be started.
    ///
    /// - Parameter stateDirectory: Nil: the standard one.
    /// - Throws: ``ProducerError`` `stateUnusable`.
    package static func setPaused(
        _ isPaused: Bool, in stateDirectory: String?, report: @escaping @Sendable (String) -> Void
    ) throws(ProducerError) {
        do throws(TransportError) {
            let directory = try StateDirectory(chosen: stateDirectory, program: "camo-producer", report: report)
            try PauseMark(in: directory).set(isPaused)
        } catch {
            throw ProducerError(error)
        }
    }
}
