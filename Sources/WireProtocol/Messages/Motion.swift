import CamoTypes

/// Producer to studio, on a stream of metadata: how the camera moves. Several samples in one message.
package struct Motion: MessageBody {
    package static let name = "motion"

    package struct Vector: Codable, Hashable, Sendable {
        package let x: Double
        package let y: Double
        package let z: Double

        package init(x: Double, y: Double, z: Double) {
            self.x = x.orZeroIfNotFinite
            self.y = y.orZeroIfNotFinite
            self.z = z.orZeroIfNotFinite
        }
    }

    package struct Sample: Codable, Hashable, Sendable {
        package var time: MonotonicTime
        /// Metres per second squared, gravity included; x to the right, y up, z out of the picture to the viewer.
        package var acceleration: Vector?
        /// Radians per second about the same axes.
        package var rotationRate: Vector?

        package init(time: MonotonicTime, acceleration: Vector?, rotationRate: Vector?) {
            self.time = time
            self.acceleration = acceleration
            self.rotationRate = rotationRate
        }

        private enum CodingKeys: String, CodingKey {
            case acceleration, rotationRate
            case time = "timeMicroseconds"
        }

        package init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            time = MonotonicTime(microseconds: try container.integer(.time, in: Limits.integers))
            acceleration = try container.decodeIfPresent(Vector.self, forKey: .acceleration)
            rotationRate = try container.decodeIfPresent(Vector.self, forKey: .rotationRate)
        }

        package func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            try container.encode(time.microseconds, forKey: .time)
            try container.encodeIfPresent(acceleration, forKey: .acceleration)
            try container.encodeIfPresent(rotationRate, forKey: .rotationRate)
        }
    }

    /// In the order of their times.
    package var samples: [Sample]

    package init(samples: [Sample]) { self.samples = samples }

    private enum CodingKeys: String, CodingKey { case samples }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        samples = try container.list(.samples, of: Sample.self, limit: Limits.motionSampleCount)
    }
}
