import CamoTypes
import Confinement
import Foundation
import MediaCore
import Testing
import TransportCore
import WireProtocol

@testable import ProducerKit

/// A recording that is played by a clock of the test's: it stands on when the player has nothing to do.
@Suite struct RecordingPlayerTests {
    /// Who is played to.
    private final class Sink: PlaybackSink {
        struct Seen: Sendable {
            var pictures: [AccessUnit] = []
            var formats: [VideoStreamFormat] = []
            var soundFormats: [AudioStreamFormat] = []
            var sounds: [AccessUnit] = []
            var told: [Playback] = []
            var states: [Playback.State] { told.map(\.state) }
            /// Its link takes nothing after so many pictures.
            var room = Int.max
            var isMuted = false
        }

        let seen = Watched(Seen())

        var isReadyForPicture: Bool { seen.value.pictures.count < seen.value.room && wantsPicture }
        var wantsPicture: Bool { !seen.value.isMuted }
        var wantsSound: Bool { true }
        var isPaused: Bool { false }
        var subscription: Subscription { Subscription(audioCodecs: [.opus]) }
        var isOnCable: Bool { false }
        func tell(_ playback: Playback) { seen.change { $0.told.append(playback) } }
        func beginPicture(_ format: VideoStreamFormat) { seen.change { $0.formats.append(format) } }
        func offerPicture(_ unit: AccessUnit, number: UInt32) -> PictureOffer {
            seen.change { seen in
                if !seen.isMuted { seen.pictures.append(unit) }
                return seen.isMuted ? .notWatching : .sent
            }
        }
        func beginSound(_ format: AudioStreamFormat) { seen.change { $0.soundFormats.append(format) } }
        func offerSound(_ unit: AccessUnit, number: UInt32) { seen.change { $0.sounds.append(unit) } }
    }

    /// A player on a thread of its own, and its end.
    private struct Played {
        let player: RecordingPlayer
        let sink = Sink()
        let hasEnded = Watched(false)
        let clock = ManualClock(.at(1_000))

        init(_ path: String, from place: Microseconds = .zero) throws {
            let recording = Recording(
                id: "0a1b2c3d", startedAtMilliseconds: 0, duration: .seconds(Int64(4)), size: RecordedClip.size,
                byteCount: 1, hasSound: true)
            let clock = clock
            let made = RecordingPlayer(recording, to: sink, clock: clock) { time, _ in
                clock.advance(by: max(Microseconds.zero, time - clock.now))
            }
            player = try #require(made)
            nonisolated(unsafe) let reader = try RecordingReader(path: path)
            try DetachedThread("test player") { [player, hasEnded] in
                player.play(reader, from: place, preferredSound: nil)
                hasEnded.change { $0 = true }
            }
        }

        func stop() async {
            player.stop()
            await hasEnded.wait { $0 }
        }

        var seen: Sink.Seen { sink.seen.value }
    }

    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("a.mp4")
        try RecordedClip.record(to: path)
    }

    /// What is seen in the pictures.
    private func lumas(_ units: [AccessUnit]) throws -> [Int] {
        let decoder = try H264Decoder()
        return units.compactMap {
            guard case .picture(let frame) = decoder.decode($0) else { return nil }
            return frame.middleLuma
        }
    }

    @Test func `all of it comes when it is due, with its sound, and the end is told last`() async throws {
        let played = try Played(path)
        await played.sink.seen.wait { $0.states.last == .ended }
        let seen = played.seen
        #expect(seen.formats.map(\.size) == [RecordedClip.size] && seen.formats.first?.definition == .economy)
        #expect(seen.pictures.count == 100 && seen.pictures.first?.isKeyframe == true)
        let begin = try #require(seen.told.first)
        #expect(begin.state == .playing && begin.position == .zero && begin.duration == .seconds(Int64(4)))
        for (number, unit) in seen.pictures.enumerated() {
            let due = begin.time + Microseconds(Int64(number) * 40_000)
            #expect(abs((unit.presentationTime - due).count) < 100)
        }
        let lumas = try lumas(seen.pictures)
        #expect(lumas.count == 100 && abs(lumas[50] - RecordedClip.luma(at: .seconds(Int64(2)))) <= 2)
        #expect(seen.soundFormats.map(\.codec) == [.opus])
        // Packets of 10 ms.
        #expect((390...402).contains(seen.sounds.count))
        #expect(seen.told.count == 2 && seen.told.last?.position == .seconds(Int64(4)))
        await played.stop()
    }

    @Test(arguments: [2.5, 0, 3.96])
    func `it goes to the keyframe up to a place, also from the end`(place: Double) async throws {
        let played = try Played(path)
        await played.sink.seen.wait { $0.states.last == .ended }
        let before = played.seen.pictures.count
        played.player.seek(to: .seconds(place))
        await played.sink.seen.wait { $0.states.count { $0 == .ended } == 2 }
        let pictures = Array(played.seen.pictures[before...])
        let keyframe = Microseconds.seconds(Double(Int(place)))
        #expect(pictures.first?.isKeyframe == true && pictures.first?.isDiscontinuity == true)
        #expect(pictures.dropFirst().allSatisfy { !$0.isDiscontinuity })
        #expect(pictures.count == 100 - Int(place) * 25)
        #expect(abs((try lumas(pictures).first ?? 0) - RecordedClip.luma(at: keyframe)) <= 2)
        // The studio finds the place of a picture by what it was told last.
        let told = try #require(played.seen.told.dropLast().last)
        #expect(told.state == .playing && told.position == keyframe)
        #expect(told.time == pictures.first?.presentationTime)
        let times = played.seen.pictures.map(\.presentationTime)
        #expect(zip(times, times.dropFirst()).allSatisfy { $0 < $1 })
        await played.stop()
    }

    @Test func `paused it stands still, shows where it is gone to, and goes on from there`() async throws {
        let played = try Played(path)
        played.sink.seen.change { $0.room = 30 }
        await played.sink.seen.wait { $0.pictures.count == 30 }
        played.player.setPaused(true)
        await played.sink.seen.wait { $0.states.last == .paused }
        let paused = try #require(played.seen.told.last)
        played.sink.seen.change { $0.room = .max }
        played.clock.advance(by: .seconds(Int64(100)))
        #expect(played.seen.pictures.count == 30 && paused.position >= .seconds(1.1))
        played.player.seek(to: .seconds(3.5))
        await played.sink.seen.wait { $0.pictures.count == 31 }
        #expect(
            abs((try lumas([played.seen.pictures[30]]).first ?? 0) - RecordedClip.luma(at: .seconds(Int64(3)))) <= 2)
        #expect(played.seen.told.last?.state == .paused && played.seen.told.last?.position == .seconds(Int64(3)))
        played.player.setPaused(false)
        await played.sink.seen.wait { $0.states.last == .ended }
        #expect(played.seen.pictures.count == 55)
        await played.stop()
    }

    @Test func `a link that is behind makes it wait, and loses nothing`() async throws {
        let played = try Played(path)
        played.sink.seen.change { $0.room = 10 }
        await played.sink.seen.wait { $0.pictures.count == 10 }
        await waitUntil { played.clock.now > .at(60_000) }
        #expect(played.seen.pictures.count == 10)
        played.sink.seen.change { $0.room = .max }
        played.player.sinkDidChange()
        await played.sink.seen.wait { $0.states.last == .ended }
        let seen = played.seen
        #expect(try lumas(seen.pictures).count == 100)
        // Where it is was told anew.
        #expect(seen.states == [.playing, .playing, .ended])
        #expect(seen.told[1].time == seen.pictures[10].presentationTime)
        #expect(abs(seen.told[1].position.count - 400_000) < 100)
        await played.stop()
    }

    @Test func `one that cannot be read on is told, once, without its path, and can be stopped`() async throws {
        let path = folder.file("noise.mp4")
        try RecordedClip.record(to: path, isNoise: true)
        let played = try Played(path)
        await played.sink.seen.wait { $0.states.last == .ended }
        try Data().write(to: URL(filePath: path))
        played.player.seek(to: .seconds(1.5))
        await played.sink.seen.wait { $0.states.last == .failed }
        let text = try #require(played.seen.told.last?.text)
        #expect(text == "the recording is damaged" || text == "the recording cannot be read on")
        played.player.seek(to: .zero)
        played.player.sinkDidChange()
        await played.stop()
        #expect(played.seen.states.count { $0 == .failed } == 1)
    }

    @Test func `a file that is cut anywhere gives whole pictures alone`() throws {
        let path = folder.file("noise.mp4")
        let recorder = try RecordedClip.record(to: path, seconds: 2, isKilled: true, isNoise: true)
        let bytes = try withExtendedLifetime(recorder) { try Data(contentsOf: URL(filePath: path)) }
        let cut = folder.file("cut.mp4")
        // Within pictures, and at every place of the last box that says what pictures follow, which opens no other reader.
        let lastHead = try #require(bytes.range(of: Data("moof".utf8), options: .backwards)).lowerBound - 4
        let places = Array(stride(from: bytes.count * 2 / 3, through: bytes.count, by: 1_499))
        for place in places + Array(stride(from: lastHead, to: min(bytes.count, lastHead + 400), by: 3)) {
            let missing = bytes.count - place
            try bytes.dropLast(missing).write(to: URL(filePath: cut))
            let reader = try RecordingReader(path: cut)
            let decoder = try H264Decoder()
            var count = 0
            while let item = try reader.next() {
                guard case .picture(let unit) = item else { continue }
                count += 1
                guard case .picture = decoder.decode(unit) else {
                    Issue.record("picture \(count) is broken with \(missing) bytes missing")
                    continue
                }
            }
            #expect(count > 5)
        }
    }

    @Test func `muted pictures are not waited for`() async throws {
        let played = try Played(path)
        played.sink.seen.change { $0.isMuted = true }
        await played.sink.seen.wait { $0.states.last == .ended }
        #expect(played.seen.sounds.count > 300)
        await played.stop()
    }

    @Test func `what a killed program left is played and gone to as well`() async throws {
        let path = folder.file("killed.mp4")
        let recorder = try RecordedClip.record(to: path, isKilled: true)
        let played = try withExtendedLifetime(recorder) { try Played(path, from: .seconds(2.5)) }
        await played.sink.seen.wait { $0.states.last == .ended }
        let pictures = played.seen.pictures
        #expect(pictures.count > 35)
        #expect(abs((try lumas(pictures).first ?? 0) - RecordedClip.luma(at: .seconds(Int64(2)))) <= 2)
        await played.stop()
    }
}
