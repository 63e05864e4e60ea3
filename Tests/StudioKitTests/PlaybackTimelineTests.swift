import CamoTypes
import Testing
import WireProtocol

@testable import StudioKit

@Suite struct PlaybackTimelineTests {
    private func told(
        _ state: Playback.State, at position: Double, time: Int64, recording: String = "a"
    ) -> Playback {
        Playback(
            recording: recording, state: state, position: .seconds(position), duration: .seconds(Int64(10)),
            time: MonotonicTime(microseconds: time * 1_000_000))
    }

    private func place(_ timeline: PlaybackTimeline, _ time: Double) -> Double? {
        timeline.place(at: MonotonicTime(microseconds: Int64(time * 1e6)))?.progress.inSeconds
    }

    @Test func `a picture is as far from what was told as its time`() {
        var timeline = PlaybackTimeline()
        #expect(!timeline.isPlaying && place(timeline, 1) == nil)
        timeline.told(told(.playing, at: 2, time: 100))
        #expect(timeline.isPlaying && place(timeline, 101.5) == 3.5)
        // Never outside of the recording.
        #expect(place(timeline, 1) == 0 && place(timeline, 500) == 10)
    }

    @Test func `one that was on its way before a pause or a seek keeps its place`() {
        var timeline = PlaybackTimeline()
        timeline.told(told(.playing, at: 0, time: 100))
        timeline.told(told(.paused, at: 3, time: 103))
        timeline.told(told(.playing, at: 8, time: 120))
        #expect(place(timeline, 102) == 2 && place(timeline, 110) == 3 && place(timeline, 121) == 9)
    }

    @Test func `stopped, another recording, or another clock begins anew`() {
        var timeline = PlaybackTimeline()
        timeline.told(told(.playing, at: 0, time: 100))
        timeline.told(told(.playing, at: 5, time: 200, recording: "b"))
        #expect(place(timeline, 150) == 0)
        timeline.told(told(.playing, at: 6, time: 10, recording: "b"))
        #expect(place(timeline, 11) == 7)
        timeline.told(told(.stopped, at: 6, time: 12, recording: "b"))
        #expect(!timeline.isPlaying && place(timeline, 13) == nil)
    }
}
