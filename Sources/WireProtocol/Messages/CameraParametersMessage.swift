import CamoTypes

/// Producer to studio: how the camera sees, and how it takes its pictures, from the one with this time on. What is not
/// known is left out.
package struct CameraParametersMessage: MessageBody {
    package static let name = "cameraParameters"

    /// The presentation time of the first picture that it holds for.
    package var time: MonotonicTime
    /// Four keys of the message, all of them or none.
    package let camera: CameraParameters?
    package var exposureMicroseconds: Int64?
    package let gainDecibels: Double?
    package var whiteBalanceKelvin: Int64?
    /// 0 is infinity: 1 / distance in metres.
    package let focusDiopters: Double?
    /// Across the picture's width.
    package let fieldOfViewDegrees: Double?

    /// - Parameter camera: Left out where it is not valid.
    package init(
        time: MonotonicTime, camera: CameraParameters? = nil, exposureMicroseconds: Int64? = nil,
        gainDecibels: Double? = nil, whiteBalanceKelvin: Int64? = nil, focusDiopters: Double? = nil,
        fieldOfViewDegrees: Double? = nil
    ) {
        self.time = time
        self.camera = camera.flatMap { $0.isValid ? $0 : nil }
        self.exposureMicroseconds = exposureMicroseconds
        self.gainDecibels = gainDecibels?.orZeroIfNotFinite
        self.whiteBalanceKelvin = whiteBalanceKelvin
        self.focusDiopters = focusDiopters?.orZeroIfNotFinite
        self.fieldOfViewDegrees = fieldOfViewDegrees?.orZeroIfNotFinite
    }

    private enum CodingKeys: String, CodingKey {
        case width, height, focalXPixels, focalYPixels
        case exposureMicroseconds, gainDecibels, whiteBalanceKelvin, focusDiopters, fieldOfViewDegrees
        case time = "timeMicroseconds"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        time = MonotonicTime(microseconds: try container.integer(.time, in: Limits.integers))
        camera = try Self.camera(in: container)
        exposureMicroseconds = try container.integerIfPresent(.exposureMicroseconds, in: Limits.counts)
        gainDecibels = try container.numberIfPresent(.gainDecibels, in: -200...200)
        whiteBalanceKelvin = try container.integerIfPresent(.whiteBalanceKelvin, in: 0...100_000)
        focusDiopters = try container.numberIfPresent(.focusDiopters, in: 0...1_000)
        fieldOfViewDegrees = try container.numberIfPresent(.fieldOfViewDegrees, in: 0...360)
    }

    private static func camera(in container: KeyedDecodingContainer<CodingKeys>) throws -> CameraParameters? {
        let width = try container.integerIfPresent(.width, in: 1...PixelSize.maximum.width)
        let height = try container.integerIfPresent(.height, in: 1...PixelSize.maximum.height)
        let focalX = try container.numberIfPresent(.focalXPixels, in: CameraParameters.focalRange)
        let focalY = try container.numberIfPresent(.focalYPixels, in: CameraParameters.focalRange)
        switch (width, height, focalX, focalY) {
        case (nil, nil, nil, nil): return nil
        case (let width?, let height?, let focalX?, let focalY?):
            return CameraParameters(width: width, height: height, focalXPixels: focalX, focalYPixels: focalY)
        default: throw container.invalid(.width, "does not stand with height and both focal lengths")
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(time.microseconds, forKey: .time)
        try container.encodeIfPresent(camera?.width, forKey: .width)
        try container.encodeIfPresent(camera?.height, forKey: .height)
        try container.encodeIfPresent(camera?.focalXPixels, forKey: .focalXPixels)
        try container.encodeIfPresent(camera?.focalYPixels, forKey: .focalYPixels)
        try container.encodeIfPresent(exposureMicroseconds, forKey: .exposureMicroseconds)
        try container.encodeIfPresent(gainDecibels, forKey: .gainDecibels)
        try container.encodeIfPresent(whiteBalanceKelvin, forKey: .whiteBalanceKelvin)
        try container.encodeIfPresent(focusDiopters, forKey: .focusDiopters)
        try container.encodeIfPresent(fieldOfViewDegrees, forKey: .fieldOfViewDegrees)
    }
}
