package import CamoTypes
package import Confinement

/// Received sound on its way to a loudspeaker's thread, which takes it in the device's format and at its pace
/// (``SoundPlayout``).
package final class PlayoutInbox: Sendable {
    /// Runs of sound; they are 10 ms as a rule. More than a second is of no use to anybody.
    private static let limit = 100

    private let waiting = Locked<[AudioFrame]>([])
    private let playout = Locked<SoundPlayout?>(nil)
    private let clock: any MonotonicClock

    package init(clock: any MonotonicClock) { self.clock = clock }

    /// Any thread. The oldest goes where too much waits.
    package func append(_ frame: AudioFrame) {
        waiting.withLock { waiting in
            waiting.append(frame)
            if waiting.count > Self.limit { waiting.removeFirst(waiting.count - Self.limit) }
        }
    }

    /// What is to be played next, of all that waits. On the loudspeaker's thread.
    ///
    /// - Parameters:
    ///   - ahead: How long what was handed to it before will go on playing.
    ///   - format: The device's.
    package func take(ahead: Microseconds, format: AudioFormat) -> [UInt8] {
        let frames = waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
        guard !frames.isEmpty else { return [] }
        return playout.withLock { playout in
            let open = playout.flatMap { $0.output == format ? $0 : nil } ?? SoundPlayout(to: format)
            playout = open
            var bytes: [UInt8] = []
            let perSecond = Int64(format.sampleRate * format.bytesPerSample)
            for frame in frames {
                let made = Microseconds(Int64(bytes.count) * 1_000_000 / perSecond)
                // Sound that cannot be converted is left out; the next packet may be heard.
                let more = try? open.convert(frame, ahead: Microseconds(ahead.count + made.count), at: clock.now)
                bytes += more ?? []
            }
            return bytes
        }
    }
}
