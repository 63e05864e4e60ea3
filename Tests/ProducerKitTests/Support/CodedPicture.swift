import CamoTypes
import DeviceCore
import MediaCore

/// Pictures as a camera codes them, from dark to light, a keyframe every `spacing` of them. Where that is seldom, all of
/// them come within two seconds of the encoder's, which would add its own.
func codedPictures(
    _ count: Int, keyframeEvery spacing: Int, size: PixelSize = PixelSize(width: 64, height: 48)
) throws -> [AccessUnit] {
    let stage = EncodeStage(.init(definition: .economy, bitsPerSecond: 500_000, preset: "ultrafast"))
    let step: Int64 = spacing > 20 ? 10_000 : 100_000
    return try (0..<count).map { number in
        if number % spacing == 0 { stage.requestKeyframe() }
        let frame = try VideoFrame.grey(UInt8(16 + number * 2), size)
        return try stage.encode(frame, at: MonotonicTime(microseconds: Int64(number) * step)).unit
    }
}

extension CapturedPicture {
    /// What a camera has coded.
    static func coded(
        _ bytes: [UInt8], _ format: CameraFormat = .h264, size: PixelSize = PixelSize(width: 64, height: 48),
        isAfterLoss: Bool = false, at time: MonotonicTime
    ) -> CapturedPicture {
        let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, bytes.count), alignment: 16)
        memory.copyBytes(from: bytes)
        nonisolated(unsafe) let owned = memory  // freed once, by the picture that alone calls it
        return .compressed(
            CompressedFrame(
                borrowing: UnsafeRawBufferPointer(rebasing: memory[..<bytes.count]), format: format, size: size,
                isAfterLoss: isAfterLoss, color: .bt601, presentationTime: time,
                release: { owned.deallocate() }))
    }
}
