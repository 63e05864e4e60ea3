internal import MediaCore
internal import TransportCore
internal import WireProtocol

/// The sound of a recording, coded as a studio takes it. On the player's thread.
struct PlaybackSound {
    /// The coding that the producer's people prefer; nil: the studio's first choice, and on a cable LPCM.
    let preferred: AudioCodec?
    private var format: AudioStreamFormat?
    private var chunker: SoundChunker?
    private var encoder: (any SoundEncoder)?
    private var number: UInt32 = 0
    private var isDiscontinuity = true

    init(preferred: AudioCodec?) { self.preferred = preferred }

    /// What comes next does not follow what came before.
    mutating func breaks() { isDiscontinuity = true }

    /// - Parameter frame: In the standard format, with the time at which it is heard.
    mutating func send(_ frame: AudioFrame, to sink: some PlaybackSink) throws(MediaError) {
        guard sink.wantsSound else {
            isDiscontinuity = true
            return
        }
        guard let wanted = SoundDistribution.format(sink.subscription, preferred: preferred, isOnCable: sink.isOnCable)
        else { return }
        if format != wanted {
            encoder = try SoundCoding.encoder(for: wanted)
            chunker = SoundChunker(samplesPerPacket: wanted.samplesPerPacket)
            format = wanted
            sink.beginSound(wanted)
        }
        chunker?.append(frame, isDiscontinuity: isDiscontinuity)
        isDiscontinuity = false
        while let chunk = chunker?.next(), let encoder {
            var unit = try encoder.encode(chunk.frame)
            unit.isDiscontinuity = chunk.isDiscontinuity
            number &+= 1
            sink.offerSound(unit, number: number)
        }
    }
}
