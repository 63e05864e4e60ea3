import CamoTypes

/// Producer to studio, on a stream of metadata: how the camera took the picture with this time. What is not known is
/// left out.
package struct CameraParametersMessage: MessageBody {
    package static let name = "cameraParameters"

    /// The presentation time of the picture.
    package var time: MonotonicTime
    package var exposureMicroseconds: Int64?
    package let gainDecibels: Double?
    package var whiteBalanceKelvin: Int64?
    /// 0 is infinity: 1 / distance in metres.
    package let focusDiopters: Double?
    /// Across the picture's width.
    package let fieldOfViewDegrees: Double?

    package init(
        time: MonotonicTime, exposureMicroseconds: Int64? = nil, gainDecibels: Double? = nil,
        whiteBalanceKelvin: Int64? = nil, focusDiopters: Double? = nil, fieldOfViewDegrees: Double? = nil
    ) {
        self.time = time
        self.exposureMicroseconds = exposureMicroseconds
        self.gainDecibels = gainDecibels?.orZeroIfNotFinite
        self.whiteBalanceKelvin = whiteBalanceKelvin
        self.focusDiopters = focusDiopters?.orZeroIfNotFinite
        self.fieldOfViewDegrees = fieldOfViewDegrees?.orZeroIfNotFinite
    }

    private enum CodingKeys: String, CodingKey {
        case exposureMicroseconds, gainDecibels, whiteBalanceKelvin, focusDiopters, fieldOfViewDegrees
        case time = "timeMicroseconds"
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        time = MonotonicTime(microseconds: try container.integer(.time, in: Limits.integers))
        exposureMicroseconds = try container.integerIfPresent(.exposureMicroseconds, in: Limits.counts)
        gainDecibels = try container.numberIfPresent(.gainDecibels, in: -200...200)
        whiteBalanceKelvin = try container.integerIfPresent(.whiteBalanceKelvin, in: 0...100_000)
        focusDiopters = try container.numberIfPresent(.focusDiopters, in: 0...1_000)
        fieldOfViewDegrees = try container.numberIfPresent(.fieldOfViewDegrees, in: 0...360)
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(time.microseconds, forKey: .time)
        try container.encodeIfPresent(exposureMicroseconds, forKey: .exposureMicroseconds)
        try container.encodeIfPresent(gainDecibels, forKey: .gainDecibels)
        try container.encodeIfPresent(whiteBalanceKelvin, forKey: .whiteBalanceKelvin)
        try container.encodeIfPresent(focusDiopters, forKey: .focusDiopters)
        try container.encodeIfPresent(fieldOfViewDegrees, forKey: .fieldOfViewDegrees)
    }
}
