import CamoTypes
import Confinement
import DeviceCore
import Foundation
import Testing

@testable import ProducerKit
@testable import camo_bench

/// What a studio misses when the camera changes: two cameras at the seam of the system calls, in real time, through the
/// whole producer.
@Suite struct SwitchGapTests {
    @Test func `at twenty changes of the camera no picture is late by 300 ms, and no sound is missing`() async throws {
        let mode = SyntheticCamera.Mode(
            format: .yuyv, size: PixelSize(width: 320, height: 180), framesPerSecond: 30)
        // Told apart by their light. Each takes its time before its first picture.
        let cameras = [60, 180].enumerated().map { index, luma in
            let picture = (0..<320 * 180 * 2).map { UInt8($0 % 2 == 0 ? luma : 128) }
            return SyntheticCamera(
                "/dev/video\(index)", mode, pictures: [picture], startTime: .milliseconds(150))
        }
        let camera = try CameraSource(
            "/dev/video0", size: mode.size, framesPerSecond: 30, nodes: SyntheticCameras(cameras: cameras))
        let delegate = PromptDelegate()
        let rig = try ControllerRig(delegate, sources: [camera, PacedSound()])
        try rig.controller.start()
        let studio = try rig.studio()
        await rig.connect(studio)
        let begins = await studio.seen.hasCome { $0.pictures.count > 10 && $0.sounds.count > 10 }
        try #require(begins, "\(delegate.log.value)")
        let ids = rig.controller.cameras.map(\.id)
        try #require(ids.count == 2)
        for round in 1...20 {
            try await rig.controller.selectCamera(ids[round % 2])
            let count = studio.seen.value.pictures.count
            let goesOn = await studio.seen.hasCome { $0.pictures.count > count + 3 }
            try #require(goesOn, "change \(round): \(delegate.log.value)")
        }
        let seen = studio.seen.value
        rig.controller.stop()

        let times = seen.pictures.map(\.presentationTime)
        let gap = zip(times, times.dropFirst()).map { $1 - $0 }.max() ?? .zero
        #expect(gap <= Microseconds(300_000 * Self.timeFactor), "picture: \(gap.inMilliseconds) ms")
        // A studio takes Opus or LPCM; each packet begins where the one before it ended.
        let sounds = seen.sounds.map(\.presentationTime)
        let steps = zip(sounds, sounds.dropFirst()).map { $1 - $0 }
        let length = try #require(steps.sorted().dropFirst(steps.count / 2).first)
        #expect(steps.allSatisfy { abs($0.count - length.count) <= 1_000 }, "sound: \(steps.max() ?? .zero)")
        #expect(seen.sounds.dropFirst().allSatisfy { !$0.isDiscontinuity })
    }

    /// Of a machine, or a build, that is slow.
    private static var timeFactor: Int64 {
        ProcessInfo.processInfo.environment["CAMO_TEST_TIME_FACTOR"].flatMap { Int64($0) } ?? 1
    }
}

/// Silence in chunks of 10 ms, as a microphone has it.
private final class PacedSound: MediaSource {
    let name = "sound"
    let opensOnDemand = true
    private let end = Locked<WakeUp?>(nil)

    func start(into sink: any MediaSink) throws(ProducerError) {
        guard let wake = WakeUp() else { throw ProducerError(.unavailable, "no descriptors left") }
        end.withLock { $0 = wake }
        let start = SystemClock().now
        let chunk = [UInt8](repeating: 0, count: 480 * AudioFormat.standard.bytesPerSample)
        do throws(DeviceError) {
            _ = try CaptureThread("sound", for: name) {
                var number: Int64 = 0
                while true {
                    let time = start + Microseconds(number * 10_000)
                    let due = time + .milliseconds(10)
                    if wake.wait(atMost: max(.zero, due - SystemClock().now)) { return }
                    guard SystemClock().now >= due else { continue }
                    sink.deliver(AudioFrame(format: .standard, bytes: chunk, presentationTime: time))
                    number += 1
                }
            }
        } catch {
            throw ProducerError(error)
        }
    }

    func stop() -> Bool {
        end.take()?.signal()
        return true
    }
}
