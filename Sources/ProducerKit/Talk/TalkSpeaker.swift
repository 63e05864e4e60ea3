internal import Confinement
internal import DeviceCore
internal import Dispatch
internal import MediaCore

/// An open loudspeaker on which coded sound is played, 50 ms after it came. Where none comes there is silence.
///
/// Used on one queue.
final class TalkSpeaker {
    private let device: SoundPlaybackDevice
    private let inbox: PlayoutInbox
    private let report: @Sendable (String) -> Void
    private var decoding: (format: AudioStreamFormat, decoder: any SoundDecoder)?
    /// What cannot be decoded is told once.
    private var hasComplained = false

    /// Opens the device. It may be looked at for a moment; never waits for one in use.
    ///
    /// - Parameters:
    ///   - name: `default`, `hw:1,0`, or an ID or name of the list of devices.
    ///   - nodes: The machine's loudspeakers.
    ///   - clock: By which sound is brought to the device's own clock.
    ///   - report: One line when the device is lost and when it is back; on the device's thread.
    /// - Throws: ``ProducerError``: there is no such device, it is in use, or this process may not use it.
    init(
        _ name: String, nodes: any PlaybackNodes, clock: any MonotonicClock,
        report: @escaping @Sendable (String) -> Void
    ) throws(ProducerError) {
        let inbox = PlayoutInbox(clock: clock)
        self.inbox = inbox
        self.report = report
        do throws(DeviceError) {
            device = try SoundPlaybackDevice(SoundDevice.find(name, .playback).pcmName, nodes: nodes)
            try device.start(
                source: { inbox.take(ahead: $0, format: $1) },
                onEvent: { event in
                    switch event {
                    case .lost(let error): report("talk is not heard: \(error)")
                    case .returned: report("\(name): talk is heard again")
                    }
                })
        } catch {
            throw ProducerError(error)
        }
    }

    func play(_ unit: AccessUnit, _ format: AudioStreamFormat) {
        do throws(MediaError) {
            let decoder: any SoundDecoder
            if let open = decoding, open.format == format {
                decoder = open.decoder
            } else {
                decoder = try SoundCoding.decoder(for: format)
                decoding = (format, decoder)
            }
            inbox.append(try decoder.decode(unit))
            device.soundHasCome()
        } catch {
            if !hasComplained { report("some talk is left out: \(error)") }
            hasComplained = true
        }
    }

    /// Closes the device at once.
    func close() { device.stop() }
}
