import CamoTypes
import Confinement
import MediaCore
import TransportCore

@testable import StudioKit

/// A producer without a network: encodes pictures that carry their number and hands them to a pipeline.
final class Stream {
    let size: PixelSize
    let pipeline: StudioPipeline
    private let stream: UInt16
    private let encoder: X264Encoder
    private let clock: any MonotonicClock
    private(set) var number = 0

    init(_ size: PixelSize, into pipeline: StudioPipeline, stream: UInt16 = 1, clock: any MonotonicClock) throws {
        self.size = size
        self.pipeline = pipeline
        self.stream = stream
        self.clock = clock
        encoder = try X264Encoder(VideoEncoderSettings(size: size, bitsPerSecond: 2_000_000, preset: "ultrafast"))
        pipeline.pictureBegan(
            VideoStreamFormat(size: size, framesPerSecond: 30, color: .convertedBGRA, definition: .high),
            stream: stream)
    }

    /// Luma of all pixels of picture `number`: told apart by 8 at least.
    static func luma(_ number: Int) -> UInt8 { UInt8(40 + number * 8 % 160) }

    /// One coded picture of a single grey.
    func unit(isKeyframe: Bool? = nil) throws -> ReceivedUnit {
        let luma = Self.luma(number)
        var bytes = [UInt8](repeating: luma, count: size.area)
        bytes += [UInt8](repeating: 128, count: PixelFormat.i420.byteCount(size) - size.area)
        let frame = try bytes.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .i420) }
        let now = clock.now
        let unit = try encoder.encode(frame, at: now, isKeyframe: isKeyframe ?? (number == 0))
        defer { number += 1 }
        return ReceivedUnit(unit: unit, localTime: now, arrival: now, number: UInt32(number), missedBefore: 0)
    }

    func send(isKeyframe: Bool? = nil) throws {
        pipeline.pictureReceived(try unit(isKeyframe: isKeyframe), stream: stream)
    }
}

/// Keeps what it is given.
final class ProbeOutput: StudioOutput {
    let needs: OutputNeeds
    private let state = Locked<(units: [PictureUnit], frames: [ReceivedFrame], sounds: [ReceivedSound])>(([], [], []))

    init(_ needs: OutputNeeds) { self.needs = needs }

    func receive(_ unit: PictureUnit) -> Bool {
        state.withLock { $0.units.append(unit) }
        return false
    }
    func show(_ frame: ReceivedFrame) { state.withLock { $0.frames.append(frame) } }
    func play(_ sound: ReceivedSound) { state.withLock { $0.sounds.append(sound) } }

    var units: [PictureUnit] { state.withLock { $0.units } }
    var frames: [ReceivedFrame] { state.withLock { $0.frames } }
    var sounds: [ReceivedSound] { state.withLock { $0.sounds } }
    /// Luma in the middle of each picture.
    var lumas: [Int] { frames.map { $0.picture.middleLuma } }
}

extension VideoFrame {
    var middleLuma: Int {
        withPlanes { Int($0[0].bytes[size.height / 2 * $0[0].stride + size.width / 2]) }
    }
}
