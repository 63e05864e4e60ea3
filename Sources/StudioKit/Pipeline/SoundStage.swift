internal import Confinement
internal import MediaCore
internal import TransportCore

/// Decodes sound on a serial queue of its own, while somebody wants it.
final class SoundStage: Sendable {
    private struct Decoding {
        var decoder: (any SoundDecoder)?
        var stream: Int?
        /// Its decoder could not be opened: said once, not for each packet.
        var refusedStream: Int?
    }

    /// A second of sound: when the queue is further behind than this, sound is thrown away.
    private static let waitingLimit = 400

    private let counts: Locked<PipelineCounts>
    private let decoding = Confined("camo.studio.sound", Decoding())
    /// Units on their way through the queue.
    private let waiting = Locked(0)
    private let isWanted = Locked(false)
    private let onSound: @Sendable (ReceivedSound) -> Void

    init(counts: Locked<PipelineCounts>, onSound: @escaping @Sendable (ReceivedSound) -> Void) {
        self.counts = counts
        self.onSound = onSound
    }

    func setWanted(_ wanted: Bool) {
        isWanted.withLock { $0 = wanted }
        if !wanted { decoding.async { $0 = Decoding() } }
    }

    /// Any thread; returns at once.
    func receive(_ received: ReceivedUnit, format: AudioStreamFormat, stream: Int) {
        guard isWanted.withLock({ $0 }) else { return }
        let isTaken = waiting.withLock { waiting in
            guard waiting < Self.waitingLimit else { return false }
            waiting += 1
            return true
        }
        guard isTaken else { return counts.withLock { $0.brokenSound += 1 } }
        decoding.async { [self] decoding in
            waiting.withLock { $0 -= 1 }
            decode(received, format, stream, &decoding)
        }
    }

    /// Returns when everything received before is decoded. Not on the queue.
    func waitUntilIdle() { decoding.sync { _ in } }

    private func decode(
        _ received: ReceivedUnit, _ format: AudioStreamFormat, _ stream: Int, _ decoding: inout Decoding
    ) {
        guard decoding.refusedStream != stream else { return }
        do throws(MediaError) {
            if decoding.stream != stream {
                decoding.decoder = nil
                decoding.stream = stream
            }
            let decoder: any SoundDecoder
            if let open = decoding.decoder {
                decoder = open
            } else {
                do throws(MediaError) {
                    decoder = try SoundCoding.decoder(for: format)
                } catch {
                    decoding.refusedStream = stream
                    throw error
                }
                decoding.decoder = decoder
            }
            onSound(ReceivedSound(frame: try decoder.decode(received.unit), localTime: received.localTime))
        } catch {
            counts.withLock { counts in
                counts.brokenSound += 1
                counts.lastError = error.description
            }
        }
    }
}
