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
    private let inbox: Locked<Inbox>

    /// Sound on its way to the device's thread. A value; its owner guards it.
    private struct Inbox: Sendable {
        /// More than a second is of no use to anybody.
        static let limit = 100

        var frames: [AudioFrame] = []
        var droppedCount = 0

        mutating func append(_ frame: AudioFrame) {
            frames.append(frame)
            guard frames.count > Self.limit else { return }
            frames.removeFirst(frames.count - Self.limit)
            droppedCount += 1
        }
    }

    /// Opens the device and plays silence.
    ///
    /// - Parameters:
    ///   - name: `default`, `hw:1,0`, or an ID or name of the list of devices.
    ///   - report: Told in one line when the device is lost and when it is back; on the device's thread.
    /// - Throws: ``StudioError`` when there is no such device, or this process may not use it.
    package convenience init(device name: String, report: @escaping @Sendable (String) -> Void) throws(StudioError) {
        try self.init(
            device: SoundDevice.find(name, .playback).pcmName, nodes: SystemSoundNodes(), clock: SystemClock(),
            report: report)
    }

    init(
        device name: String, nodes: any PlaybackNodes, clock: any MonotonicClock,
        report: @escaping @Sendable (String) -> Void
    ) throws(StudioError) {
        let inbox = Locked(Inbox())
        self.inbox = inbox
        // Confined to the device's thread.
        nonisolated(unsafe) var playout: SoundPlayout?
        do throws(DeviceError) {
            device = try SoundPlaybackDevice(name, nodes: nodes)
            try device.start(
                source: { ahead, format in
                    let open = playout.flatMap { $0.output == format ? $0 : nil } ?? SoundPlayout(to: format)
                    playout = open
                    let frames = inbox.withLock { inbox in
                        defer { inbox.frames = [] }
                        return inbox.frames
                    }
                    return Self.bytes(of: frames, ahead, open, clock)
                },
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

    private static func bytes(
        of frames: [AudioFrame], _ ahead: Microseconds, _ playout: SoundPlayout, _ clock: any MonotonicClock
    ) -> [UInt8] {
        var bytes: [UInt8] = []
        let perSecond = Int64(playout.output.sampleRate * playout.output.bytesPerSample)
        for frame in frames {
            let made = Microseconds(Int64(bytes.count) * 1_000_000 / perSecond)
            // Sound that cannot be converted is left out; the next packet may be heard.
            let more = try? playout.convert(frame, ahead: Microseconds(ahead.count + made.count), at: clock.now)
            bytes += more ?? []
        }
        return bytes
    }

    package func play(_ sound: ReceivedSound) {
        inbox.withLock { $0.append(sound.frame) }
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
