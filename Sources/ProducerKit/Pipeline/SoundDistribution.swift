internal import Confinement
internal import MediaCore
internal import TransportCore
internal import WireProtocol

/// Sound for all who want it: brought to one form and one clock, cut to each studio's packets, coded once for each
/// coding and length.
final class SoundDistribution: Sendable {
    /// Which coding a viewer gets: the preferred one if it takes it; else on a cable LPCM, which costs neither time nor
    /// work, and on the network its own first choice.
    let preferred: AudioCodec?
    private let clock: any MonotonicClock
    private let report: @Sendable (String) -> Void
    private let work: Confined<Work>
    /// Viewers, for callers that must not wait for the queue.
    private let viewers = Locked<[any ViewerSink]>([])

    private struct Work {
        var intake = SoundIntake()
        var codings: [AudioStreamFormat: Coding] = [:]
        var chosen: [UInt64: AudioStreamFormat] = [:]
        var pending = 0
        var hasFailed = false
    }

    /// One coding at work.
    private struct Coding {
        var chunker: SoundChunker
        var encoder: any SoundEncoder
        var number: UInt32 = 0
    }

    init(preferred: AudioCodec?, clock: any MonotonicClock, report: @escaping @Sendable (String) -> Void) {
        self.preferred = preferred
        self.clock = clock
        self.report = report
        work = Confined("sound", Work())
    }

    /// Samples per channel in a packet, as the first of the studios wants it; 480 when none watches.
    var samplesRequired: Int { viewers.withLock { $0.first?.subscription.samplesPerPacket } ?? 480 }

    var hasListeners: Bool { viewers.withLock { $0.contains { $0.wantsSound } } }

    func add(_ viewer: any ViewerSink) {
        viewers.withLock { viewers in
            if !viewers.contains(where: { $0.id == viewer.id }) { viewers.append(viewer) }
        }
    }

    func remove(_ viewer: any ViewerSink) {
        viewers.withLock { $0.removeAll { $0.id == viewer.id } }
        work.async { [self] work in
            if work.chosen.removeValue(forKey: viewer.id) != nil { viewer.endSound() }
            forgetUnused(&work)
        }
    }

    /// Any thread. Sound without a time has that of its arrival.
    func offer(_ sound: AudioFrame) {
        let now = clock.now
        guard viewers.withLock({ $0.contains { $0.wantsSound } }) else { return }
        work.async { [self] work in distribute(sound, arrival: now, &work) }
    }

    /// Returns when what was handed over is out.
    func close() { work.sync { $0.codings = [:] } }

    private func distribute(_ sound: AudioFrame, arrival: MonotonicTime, _ work: inout Work) {
        let listeners = viewers.withLock { $0.filter(\.wantsSound) }
        for viewer in listeners { begin(viewer, &work) }
        do throws(MediaError) {
            guard let piece = try work.intake.take(sound, arrival: arrival) else { return }
            for format in work.codings.keys {
                work.codings[format]?.chunker.append(piece.frame, isDiscontinuity: piece.isDiscontinuity)
                while let chunk = work.codings[format]?.chunker.next() {
                    guard let coding = work.codings[format] else { break }
                    var unit = try coding.encoder.encode(chunk.frame)
                    unit.isDiscontinuity = chunk.isDiscontinuity
                    work.codings[format]?.number &+= 1
                    for viewer in listeners where work.chosen[viewer.id] == format {
                        viewer.offerSound(unit, number: coding.number)
                    }
                }
            }
            work.hasFailed = false
        } catch {
            if !work.hasFailed { report("sound is left out: \(error)") }
            work.hasFailed = true
        }
    }

    /// Tells the viewer what it gets, unless it was told.
    private func begin(_ viewer: any ViewerSink, _ work: inout Work) {
        guard let wanted = format(for: viewer), work.chosen[viewer.id] != wanted else { return }
        do throws(MediaError) {
            if work.codings[wanted] == nil {
                work.codings[wanted] = Coding(
                    chunker: SoundChunker(samplesPerPacket: wanted.samplesPerPacket),
                    encoder: try SoundCoding.encoder(for: wanted))
            }
            work.chosen[viewer.id] = wanted
            viewer.beginSound(wanted)
            forgetUnused(&work)
        } catch {
            report("no \(wanted.codec.rawValue) sound for a studio: \(error)")
        }
    }

    private func format(for viewer: any ViewerSink) -> AudioStreamFormat? {
        Self.format(viewer.subscription, preferred: preferred, isOnCable: viewer.isOnCable)
    }

    /// What a studio is sent by its subscription; nil: it takes no sound.
    static func format(
        _ subscription: Subscription, preferred: AudioCodec?, isOnCable: Bool
    ) -> AudioStreamFormat? {
        let taken = subscription.audioCodecs
        let wanted = preferred ?? (isOnCable ? .lpcm : nil)
        guard let codec = wanted.flatMap({ taken.contains($0) ? $0 : nil }) ?? taken.first else { return nil }
        return AudioStreamFormat(
            codec: codec,
            samplesPerPacket: SoundCoding.samplesPerPacket(subscription.samplesPerPacket ?? 480, codec: codec))
    }

    private func forgetUnused(_ work: inout Work) {
        let used = Set(work.chosen.values)
        work.codings = work.codings.filter { used.contains($0.key) }
    }
}
