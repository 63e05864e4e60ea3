internal import Confinement
package import DeviceCore
internal import Dispatch
internal import MediaCore

/// The sound on a loudspeaker of this machine, 50 ms after it came.
///
/// Where sound runs out there is silence. A device that goes is opened again when it is back; the picture goes on.
package final class LoudspeakerOutput: StudioOutput {
    package let needs: OutputNeeds = .sound
    private let device: SoundPlaybackDevice
    private let inbox: PlayoutInbox

    /// Opens the device and plays silence.
    ///
    /// - Parameters:
    ///   - name: `default`, `hw:1,0`, or an ID or name of the list of devices.
    ///   - report: Told in one line when the device is lost and when it is back; on the device's thread.
    /// - Throws: ``StudioError`` when there is no such device, or this process may not use it.
    package convenience init(device name: String, report: @escaping @Sendable (String) -> Void) throws(StudioError) {
        try self.init(device: name, nodes: SystemSoundNodes(), clock: SystemClock(), report: report)
    }

    /// - Parameters:
    ///   - name: As above.
    ///   - nodes: The machine's loudspeakers.
    ///   - clock: By which sound is brought to the device's own.
    ///   - report: As above.
    /// - Throws: As above.
    init(
        device name: String, nodes: any PlaybackNodes, clock: any MonotonicClock,
        report: @escaping @Sendable (String) -> Void
    ) throws(StudioError) {
        let inbox = PlayoutInbox(clock: clock)
        self.inbox = inbox
        do throws(DeviceError) {
            device = try SoundPlaybackDevice(SoundDevice.find(name, .playback).pcmName, nodes: nodes)
            try device.start(
                source: { inbox.take(ahead: $0, format: $1) },
                onEvent: { event in
                    switch event {
                    case .lost(let error): report("no sound: \(error); the picture goes on")
                    case .returned: report("\(name): sound is back")
                    }
                })
        } catch {
            throw StudioError(error)
        }
    }

    package func play(_ sound: ReceivedSound) {
        inbox.append(sound.frame)
        device.soundHasCome()
    }

    /// What has become of the sound.
    package var statistics: PlaybackStatistics { device.statistics }

    /// What waits is 50 ms of sound: the device is closed at once.
    package func finish(within limit: Microseconds) async {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "camo.studio.end").async { [device] in
                device.stop(within: .microseconds(Int(limit.count)))
                continuation.resume()
            }
        }
    }
}

extension LoudspeakerOutput: EndableOutput {}
