internal import Confinement
internal import DeviceCore

/// An ALSA device to record from: opened when somebody listens, closed when nobody does, opened again when it has gone
/// and come back. Without it the picture goes on.
package final class MicrophoneSource: MediaSource {
    package let name: String
    package let opensOnDemand = true
    private let device: SoundDevice
    private let state = Locked(State())

    private struct State {
        var thread: CaptureThread?
        var wake: WakeUp?
    }

    private static let retryInterval = Microseconds.seconds(Int64(2))

    /// - Parameter text: What ALSA calls it: `default`, `hw:1,0`; or an ID or name of the list of devices.
    package init(_ text: String) {
        device = SoundDevice.find(text)
        name = device.name
    }

    package func start(into sink: any MediaSink) throws(ProducerError) {
        guard let wake = WakeUp() else {
            throw ProducerError(.unavailable, "\(name): this process has no file descriptors left")
        }
        do throws(DeviceError) {
            let thread = try CaptureThread("microphone", for: device.pcmName) { [self] in keepOpen(wake, sink) }
            state.withLock { $0 = State(thread: thread, wake: wake) }
        } catch {
            throw ProducerError(error)
        }
    }

    package func stop() -> Bool {
        let running = state.withLock { state in
            defer { state = State() }
            return state
        }
        running.wake?.signal()
        return running.thread?.wait(atMost: Self.patience) ?? true
    }

    private func keepOpen(_ wake: WakeUp, _ sink: any MediaSink) {
        var lastComplaint: String?
        while true {
            let lost = Locked<DeviceError?>(nil)
            do throws(DeviceError) {
                let capture = try SoundCaptureDevice(device)
                try capture.start(
                    onFrame: { sink.deliver($0) },
                    onEvent: { event in
                        switch event {
                        case .lost(let error):
                            lost.withLock { $0 = error }
                            wake.signal()
                        case .interrupted(let cause, let gap):
                            sink.sourceDidReport("sound was interrupted (\(cause.rawValue)): \(gap.inMilliseconds) ms")
                        }
                    })
                lastComplaint = nil
                while lost.withLock({ $0 }) == nil, !wake.wait(atMost: .seconds(Int64(3_600))) {}
                capture.stop()
                guard let error = lost.withLock({ $0 }) else { return }
                wake.reset()
                throw error
            } catch {
                if lastComplaint != error.description {
                    sink.sourceDidReport("no sound: \(error.description); the picture goes on")
                }
                lastComplaint = error.description
            }
            if wake.wait(atMost: Self.retryInterval) { return }
        }
    }
}
