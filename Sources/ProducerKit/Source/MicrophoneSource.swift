internal import Confinement
internal import DeviceCore

/// An ALSA device to record from: opened when somebody listens, closed when nobody does, opened again when it has gone
/// and come back. Without it the picture goes on.
package final class MicrophoneSource: MediaSource {
    package let name: String
    package let opensOnDemand = true
    /// What was asked for: looked up at each opening, since an ID may be that of a card that comes later.
    private let wanted: String
    private let keeper = Locked<DeviceKeeper?>(nil)

    /// - Parameter text: What ALSA calls it: `default`, `hw:1,0`; or an ID or name of the list of devices.
    package init(_ text: String) {
        wanted = text
        name = SoundDevice.find(text).name
    }

    /// One line for people where there is no such device now: a name that was mistyped is to be seen before anybody
    /// listens. Nil where there is, whatever else may hinder its opening then.
    package var absence: String? {
        do throws(DeviceError) {
            _ = try SoundDevice.find(wanted).abilities()
            return nil
        } catch {
            return error.code == .notFound ? "no sound yet: \(error); it is used as soon as it is there" : nil
        }
    }

    package func start(into sink: any MediaSink) throws(ProducerError) {
        let keeper = try DeviceKeeper("microphone", of: name) { [wanted] lost throws(DeviceError) in
            let capture = try SoundCaptureDevice(SoundDevice.find(wanted))
            try capture.start(
                onFrame: { sink.deliver($0) },
                onEvent: { event in
                    switch event {
                    case .lost(let error): lost(error)
                    case .interrupted(let cause, let gap):
                        sink.sourceDidReport("sound was interrupted (\(cause.rawValue)): \(gap.inMilliseconds) ms")
                    }
                })
            return { capture.stop() }
        } report: {
            let error = ProducerError($0)
            sink.sourceDidLose(ProducerError(error.code, "no sound: \(error.message); the picture goes on"))
        }
        self.keeper.withLock { $0 = keeper }
    }

    package func stop() -> Bool { keeper.take()?.stop(within: Self.patience) ?? true }
}
