import CamoTypes
import Confinement
import Dispatch
import Testing

@testable import ProducerKit

/// A source whose pictures the test makes.
final class HandSource: ObservableVideoSource, @unchecked Sendable {
    func output(_ luma: UInt8) throws {
        let sample = VideoSample(try .grey(luma))
        notify { $0.videoSource(self, didOutput: sample) }
    }
}

/// Writes down the brightness of what it gets, and can do something within the call.
final class LumaLog: VideoSourceObserver {
    let lumas = Watched<[Int]>([])
    let endings = Watched<[ProducerError?]>([])
    private let onSample: @Sendable (LumaLog) -> Void

    init(onSample: @escaping @Sendable (LumaLog) -> Void = { _ in }) { self.onSample = onSample }

    func videoSource(_ videoSource: any VideoSource, didOutput videoSample: VideoSample) {
        lumas.change { $0.append(videoSample.buffer.middleLuma) }
        onSample(self)
    }
    func videoSource(_ videoSource: any VideoSource, didEndWith error: ProducerError?) {
        endings.change { $0.append(error) }
    }
}

/// Takes itself away when it goes, as many programs do.
private final class TidyObserver: VideoSourceObserver {
    private let source: HandSource
    init(_ source: HandSource) {
        self.source = source
        source.add(observer: self)
    }
    deinit { source.remove(observer: self) }
    func videoSource(_ videoSource: any VideoSource, didOutput videoSample: VideoSample) {}
}

@Suite struct ObservableVideoSourceTests {
    private let source = HandSource()

    @Test func `all observers get all pictures, in order, each once`() throws {
        let order = Watched<[String]>([])
        let first = LumaLog { _ in order.change { $0.append("first") } }
        let second = LumaLog { _ in order.change { $0.append("second") } }
        for observer in [first, second, first] { source.add(observer: observer) }
        for luma: UInt8 in [10, 20, 30] { try source.output(luma) }
        #expect(first.lumas.value == [10, 20, 30])
        #expect(second.lumas.value == [10, 20, 30])
        #expect(order.value == ["first", "second", "first", "second", "first", "second"])
        source.remove(observer: first)
        try source.output(40)
        #expect(first.lumas.value == [10, 20, 30] && second.lumas.value == [10, 20, 30, 40])
    }

    @Test func `an observer is not kept`() throws {
        weak var gone: LumaLog?
        do {
            let observer = LumaLog()
            source.add(observer: observer)
            gone = observer
            try source.output(10)
            #expect(observer.lumas.value == [10])
        }
        #expect(gone == nil)
        try source.output(20)
    }

    @Test func `removed within a call, it hears of nothing more, nor does one that comes after it`() throws {
        let source = source
        let last = LumaLog()
        let first = LumaLog { log in
            source.remove(observer: log)
            source.remove(observer: last)
        }
        source.add(observer: first)
        source.add(observer: last)
        try source.output(10)
        try source.output(20)
        #expect(first.lumas.value == [10])
        #expect(last.lumas.value.isEmpty)
    }

    @Test func `added within a call, it is told from the next picture on`() throws {
        let source = source
        let late = LumaLog()
        let first = LumaLog { _ in source.add(observer: late) }
        source.add(observer: first)
        try source.output(10)
        #expect(late.lumas.value.isEmpty)
        try source.output(20)
        #expect(late.lumas.value == [20])
        // Taken away and added again within one call: it begins anew.
        let other = LumaLog { log in
            source.remove(observer: log)
            source.add(observer: log)
        }
        source.add(observer: other)
        for luma: UInt8 in [30, 40] { try source.output(luma) }
        #expect(other.lumas.value == [30, 40])
    }

    @Test func `observers come and go on many threads while pictures come`() throws {
        let source = source
        let steady = LumaLog()
        source.add(observer: steady)
        DispatchQueue.concurrentPerform(iterations: 8) { thread in
            for round in 0..<200 {
                switch thread {
                case 0: try? source.output(UInt8(round))
                case 1: _ = TidyObserver(source)
                default:
                    let passing = LumaLog()
                    source.add(observer: passing)
                    if round % 2 == 0 { source.remove(observer: passing) }
                }
            }
        }
        #expect(steady.lumas.value == Array(0..<200))
    }

    @Test func `a sample says what its buffer is, or is refused`() throws {
        let frame = try VideoFrame.grey(90)
        #expect(VideoSample(frame).format == .i420)
        #expect(try VideoSample(buffer: frame, format: .i420).buffer.size == frame.size)
        let error = #expect(throws: VideoFrameError.self) { try VideoSample(buffer: frame, format: .bgra) }
        #expect(error?.description.contains("bgra") == true && error?.description.contains("i420") == true)
    }
}

@Suite struct ControllerAsObserverTests {
    @Test func `what a source outputs arrives at a studio, and its end at the delegate`() async throws {
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate)
        let source = HandSource()
        source.add(observer: rig.controller)
        try source.output(10)  // while stopped: nobody's
        try rig.controller.start()
        let studio = try rig.studio()
        defer { studio.endpoint.stop() }
        await rig.connect(studio)
        let feed = Task {
            while !Task.isCancelled {
                try source.output(90)
                try? await Task.sleep(for: .milliseconds(33))
            }
        }
        await studio.seen.wait { $0.pictures.count >= 3 }
        let camera = CameraParameters(width: 64, height: 48, focalXPixels: 50, focalYPixels: 51)
        source.notify { $0.videoSource(source, didOutput: camera) }
        await studio.seen.wait { $0.lenses.map(\.camera) == [camera] }
        feed.cancel()
        _ = try? await feed.value
        source.notify { $0.videoSource(source, didEndWith: ProducerError(.badData, "it broke")) }
        await delegate.log.wait { $0.contains(.end(ProducerError(.badData, "it broke"))) }
        rig.controller.stop()
    }
}
