import CamoTypes
import Testing

@testable import StudioKit

@Suite struct CameraTimelineTests {
    private static func camera(_ focal: Double) -> CameraParameters {
        CameraParameters(width: 1920, height: 1080, focalXPixels: focal, focalYPixels: focal)
    }
    private static func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(microseconds: milliseconds * 1_000)
    }

    @Test func `parameters hold from their picture on, not for those before that come later`() {
        var timeline = CameraTimeline()
        #expect(timeline.parameters(at: Self.at(0)) == nil)
        timeline.told(Self.camera(100), since: Self.at(33))
        timeline.told(Self.camera(200), since: Self.at(99))
        let focals = [0, 33, 66, 99, 132].map { timeline.parameters(at: Self.at($0))?.focalXPixels }
        #expect(focals == [nil, 100, 100, 200, 200])
        timeline.told(nil, since: Self.at(165))
        #expect(timeline.parameters(at: Self.at(132)) == Self.camera(200))
        #expect(timeline.parameters(at: Self.at(165)) == nil)
    }

    @Test func `a time line that begins anew goes on with what was known`() {
        var timeline = CameraTimeline()
        timeline.told(Self.camera(100), since: Self.at(5_000))
        #expect(timeline.parameters(at: Self.at(5_000)) == Self.camera(100))
        #expect(timeline.parameters(at: Self.at(10)) == Self.camera(100))
        // The picture that this was for never came.
        timeline.told(Self.camera(200), since: Self.at(9_000))
        timeline.told(Self.camera(300), since: Self.at(20))
        #expect(timeline.parameters(at: Self.at(20)) == Self.camera(300))
    }

    @Test func `a producer that only talks does not fill the memory`() {
        var timeline = CameraTimeline()
        for number in 1...10_000 { timeline.told(Self.camera(Double(number)), since: Self.at(Int64(number))) }
        #expect(timeline.parameters(at: Self.at(0)) == Self.camera(9_936))
        #expect(timeline.parameters(at: Self.at(10_000)) == Self.camera(10_000))
    }
}
