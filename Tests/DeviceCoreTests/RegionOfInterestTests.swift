import CLinuxShims
import CamoTypes
import Glibc
import Testing

@testable import DeviceCore

/// Exposure and focus by one point of the picture, as far as a driver lets them be told.
@Suite struct RegionOfInterestTests {
    private let camera = FakeCamera { state in
        state.controls = [
            FakeControl(
                number: RegionOfInterest.rectangle, name: "Region of Interest Rectangle",
                rawType: RegionOfInterest.rectangleType),
            FakeControl(
                number: RegionOfInterest.automatic, name: "Region Of Interest Auto Ctrls",
                type: V4L2_CTRL_TYPE_BITMASK, range: 0...9, value: 0),
        ]
        state.region = (
            v4l2_rect(left: 0, top: 0, width: 1600, height: 800), v4l2_rect(left: 0, top: 0, width: 1600, height: 800)
        )
    }

    private func controls() throws -> CameraControls {
        let nodes = FakeVideoNodes(cameras: [camera])
        return CameraControls(try VideoDevice(at: camera.path, nodes: nodes), nodes: nodes)
    }

    private func region() -> [Int] {
        camera.state.withLock { state in
            let part = state.region?.part ?? v4l2_rect()
            return [Int(part.left), Int(part.top), Int(part.width), Int(part.height)]
        }
    }

    @Test func `a camera without a region offers nothing, and says so`() throws {
        camera.state.withLock { $0.controls = [] }
        #expect(try controls().pointsOfInterest() == [])
        let middle = try #require(PicturePoint(x: 0.5, y: 0.5))
        let error = #expect(throws: DeviceError.self) { try controls().aim(.focus, at: middle) }
        #expect(error?.code == .noSuchControl)
    }

    @Test func `what follows the region is what the driver says`() throws {
        #expect(try controls().pointsOfInterest() == [.exposure, .focus])
        camera.state.withLock { $0.controls[1].range = 0...1 }
        #expect(try controls().pointsOfInterest() == [.exposure])
        // A control of that number that is something else.
        camera.state.withLock { $0.controls[0].rawType = nil }
        #expect(try controls().pointsOfInterest() == [])
    }

    @Test(arguments: [
        (0.5, 0.5, [700, 350, 200, 100]), (0, 0, [0, 0, 200, 100]), (1, 1, [1400, 700, 200, 100]),
        (0.25, 0.75, [300, 550, 200, 100]),
    ])
    func `the region lies around the point, within the picture`(x: Double, y: Double, expected: [Int]) throws {
        try controls().aim(.focus, at: try #require(PicturePoint(x: x, y: y)))
        #expect(region() == expected)
    }

    @Test func `the region is set before what follows it, and others go on following`() throws {
        let point = try #require(PicturePoint(x: 0.5, y: 0.5))
        try controls().aim(.exposure, at: point)
        try controls().aim(.focus, at: point)
        #expect(
            camera.state.withLock { $0.aimed } == [
                RegionOfInterest.rectangle, RegionOfInterest.automatic, RegionOfInterest.rectangle,
                RegionOfInterest.automatic,
            ])
        #expect(camera.value(RegionOfInterest.automatic) == 9)
    }
}
