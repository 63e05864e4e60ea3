import CamoTypes
import Confinement
import DeviceCore
import Dispatch
import MediaCore
import Testing

@testable import StudioKit

/// A virtual camera in memory: keeps the last picture, as its readers see it, and its size while it has readers.
private final class FakeCamera: WritableCamera, Sendable {
    struct State {
        var format: VirtualCameraFormat
        var luma: [Int] = []
        var corners: [Int] = []
        var failure: DeviceError?
        var isFull = false
        /// The driver holds whoever calls it.
        var stuck: DispatchSemaphore?
        var isClosed = false
    }

    let state: Locked<State>
    var format: VirtualCameraFormat { state.withLock { $0.format } }

    init(_ size: PixelSize) { state = Locked(State(format: VirtualCameraFormat(pixels: .yuyv, size: size))) }

    func send(_ fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws -> Bool {
        let (format, failure, isFull) = state.withLock { ($0.format, $0.failure, $0.isFull) }
        state.withLock { $0.stuck }?.wait()
        if let failure { throw failure }
        if isFull { return false }
        var bytes = [UInt8](repeating: 0xEE, count: format.byteCount)
        try bytes.withUnsafeMutableBytes(fill)
        let middle = (format.size.height / 2 * format.size.width + format.size.width / 2) * 2
        let corner = Int(bytes[0])
        let luma = Int(bytes[middle])
        state.withLock { state in
            state.luma.append(luma)
            state.corners.append(corner)
        }
        return true
    }

    func close() { state.withLock { $0.isClosed = true } }
}

/// What the output opens: each time a camera of the size wished for, unless readers hold another.
private final class FakeDevice: Sendable {
    struct State {
        var cameras: [FakeCamera] = []
        var held: PixelSize?
        var refusal: DeviceError?
    }

    let state = Locked(State())

    var device: VirtualCameraDevice {
        VirtualCameraDevice(path: "/dev/video9", size: PixelSize(width: 160, height: 90)) {
            [state] size throws(DeviceError) in
            try state.withLock { state throws(DeviceError) in
                if let refusal = state.refusal { throw refusal }
                let camera = FakeCamera(state.held ?? size)
                state.cameras.append(camera)
                return camera
            }
        }
    }

    var camera: FakeCamera? { state.withLock { $0.cameras.last } }
    var opened: Int { state.withLock { $0.cameras.count } }
    /// Luma in the middle of each picture that readers have seen of the camera that is open now.
    var lumas: [Int] { camera?.state.withLock { $0.luma } ?? [] }
    var corners: [Int] { camera?.state.withLock { $0.corners } ?? [] }
}

/// The feed on a clock that only the test moves.
@Suite struct VirtualCameraFeedTests {
    private let clock = ManualClock(MonotonicTime(microseconds: 1_000_000))
    private let device = FakeDevice()
    private let counts = Locked(VirtualCameraFeed.Counts())
    private let told = Locked<[String]>([])
    private let size = PixelSize(width: 160, height: 90)
    private static let waiting = 40

    private func feed() throws -> VirtualCameraFeed {
        try VirtualCameraFeed(device.device, clock: clock, counts: counts) { [told] line in
            told.withLock { $0.append(line) }
        }
    }

    private func picture(_ luma: UInt8, _ size: PixelSize? = nil) throws -> VideoFrame {
        let size = size ?? self.size
        let bytes =
            [UInt8](repeating: luma, count: size.area)
            + [UInt8](repeating: 128, count: PixelFormat.i420.byteCount(size) - size.area)
        return try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420) }
    }

    /// What readers get in this time.
    private func idle(_ feed: VirtualCameraFeed, milliseconds: Int64) {
        for _ in 0..<milliseconds / 100 {
            clock.advance(by: .milliseconds(100))
            feed.idle()
        }
    }

    @Test func `readers find a camera that waits before any picture came`() throws {
        let feed = try feed()
        idle(feed, milliseconds: 1_000)
        #expect(device.lumas == [Int](repeating: Self.waiting, count: 6))
        #expect(counts.withLock { $0.stills } == 6)
    }

    @Test func `pictures come as they are, the last one stays for five seconds, then the picture of waiting`() throws {
        let feed = try feed()
        feed.show(try picture(100))
        #expect(device.lumas.last == 100)
        idle(feed, milliseconds: 4_900)
        #expect(device.lumas.last == 100)
        idle(feed, milliseconds: 400)
        #expect(device.lumas.last == Self.waiting)
        let before = device.lumas.count
        idle(feed, milliseconds: 60_000)
        #expect(device.lumas.count == before + 300)
        feed.show(try picture(120))
        #expect(device.lumas.last == 120)
    }

    @Test func `the first picture gives the camera its size, where nobody reads`() throws {
        let feed = try feed()
        feed.show(try picture(100, PixelSize(width: 64, height: 48)))
        #expect(device.camera?.format.size == PixelSize(width: 64, height: 48))
        #expect(device.opened == 2)
        #expect(device.state.withLock { $0.cameras[0] }.state.withLock { $0.isClosed })
    }

    @Test func `while it is read the size stays: pictures of another are fitted in with black bars`() throws {
        device.state.withLock { $0.held = size }
        let feed = try feed()
        feed.show(try picture(100))
        for _ in 0..<3 { feed.show(try picture(110, PixelSize(width: 90, height: 160))) }
        #expect(device.camera?.format.size == size)
        #expect(device.lumas.suffix(3) == [110, 110, 110])
        #expect(device.corners.suffix(3) == [16, 16, 16])
        // Tried once, not for each picture.
        #expect(device.opened == 2)
    }

    @Test func `a smaller picture is enlarged, a larger one is given room`() throws {
        let feed = try feed()
        feed.show(try picture(100))
        feed.show(try picture(100, PixelSize(width: 80, height: 46)))
        #expect(device.camera?.format.size == size)
        feed.show(try picture(100, PixelSize(width: 320, height: 180)))
        #expect(device.camera?.format.size == PixelSize(width: 320, height: 180))
    }

    @Test func `a device that goes is told once, and fed again when it is back`() throws {
        let feed = try feed()
        feed.show(try picture(100))
        let gone = DeviceError(.disconnected, device: "/dev/video9", "the device has gone")
        device.camera?.state.withLock { $0.failure = gone }
        device.state.withLock { $0.refusal = gone }
        for _ in 0..<60 {
            feed.show(try picture(100))
            clock.advance(by: .milliseconds(100))
        }
        #expect(told.withLock { $0 } == ["no virtual camera: /dev/video9: the device has gone; trying again"])
        device.state.withLock { $0.refusal = nil }
        clock.advance(by: .seconds(Int64(1)))
        feed.show(try picture(110))
        #expect(device.lumas == [110])
        #expect(told.withLock { $0.last } == "/dev/video9 is fed again")
    }

    @Test func `a device without room loses pictures, and they are counted`() throws {
        let feed = try feed()
        device.camera?.state.withLock { $0.isFull = true }
        for _ in 0..<5 { feed.show(try picture(100)) }
        #expect(counts.withLock { $0 } == .init(shown: 0, stills: 1, dropped: 5))
    }
}

@Suite struct VirtualCameraOutputTests {
    @Test func `decoded pictures of a pipeline reach the readers`() async throws {
        let clock = ManualClock(MonotonicTime(microseconds: 1_000_000))
        let pipeline = StudioPipeline(clock: clock, onNeedsKeyframe: {})
        let device = FakeDevice()
        let output = try VirtualCameraOutput(device.device, clock: clock) { _ in }
        pipeline.add(output)
        let stream = try Stream(PixelSize(width: 160, height: 90), into: pipeline, clock: clock)
        for _ in 0..<3 {
            try stream.send()
            clock.advance(by: .milliseconds(33))
            pipeline.waitUntilIdle()
        }
        #expect(await eventually { output.statistics.shown == 3 })
        let differences = zip(device.lumas.suffix(3), 0..<3).map { abs($0 - Int(Stream.luma($1))) }
        #expect(differences.allSatisfy { $0 <= 4 })
        await output.finish(within: .seconds(Int64(1)))
        #expect(device.camera?.state.withLock { $0.isClosed } == true)
    }

    @Test func `a device that holds its caller holds up neither the pipeline nor the end`() async throws {
        let clock = ManualClock(MonotonicTime(microseconds: 1_000_000))
        let pipeline = StudioPipeline(clock: clock, onNeedsKeyframe: {})
        let device = FakeDevice()
        let output = try VirtualCameraOutput(device.device, clock: clock) { _ in }
        pipeline.add(output)
        let release = DispatchSemaphore(value: 0)
        device.camera?.state.withLock { $0.stuck = release }
        let stream = try Stream(PixelSize(width: 160, height: 90), into: pipeline, clock: clock)
        for _ in 0..<20 {
            try stream.send()
            clock.advance(by: .milliseconds(33))
            pipeline.waitUntilIdle()
        }
        // All were decoded; what the device did not take was replaced by what is newer.
        #expect(output.statistics.dropped > 10)
        await output.finish(within: .milliseconds(50))
        #expect(device.camera?.state.withLock { $0.isClosed } == false)
        for _ in 0..<20 { release.signal() }
    }

    @Test func `what is wrong with the device is said when it is made`() throws {
        let device = FakeDevice()
        device.state.withLock { $0.refusal = DeviceError(.busy, device: "/dev/video9", "another program feeds it") }
        let error = #expect(throws: StudioError.self) {
            try VirtualCameraOutput(device.device, clock: SystemClock()) { _ in }
        }
        #expect(error?.code == .busy)
    }

    @Test func `the picture of waiting fits every size`() throws {
        for size in [
            PixelSize(width: 2, height: 2), PixelSize(width: 1280, height: 720), PixelSize(width: 90, height: 160),
        ] {
            let picture = try #require(WaitingPicture.make(size))
            #expect(picture.size == size)
        }
    }
}
