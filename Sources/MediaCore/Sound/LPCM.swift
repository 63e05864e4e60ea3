package import CamoTypes

/// Uncompressed sound on the wire: the samples as they are, 32-bit float, little-endian, interleaved.
package final class LPCMEncoder: SoundEncoder {
    package let format: AudioStreamFormat
    private let samples: AudioFormat

    package init(_ format: AudioStreamFormat) throws(MediaError) {
        samples = try format.uncompressed
        self.format = format
    }

    package func encode(_ frame: AudioFrame) throws(MediaError) -> AccessUnit {
        guard frame.format == samples, frame.sampleCount == format.samplesPerPacket else {
            throw MediaError(
                .internal,
                "the stream carries \(format.samplesPerPacket) samples a packet, not \(frame.sampleCount)")
        }
        return AccessUnit(
            bytes: frame.bytes, presentationTime: frame.presentationTime ?? MonotonicTime(microseconds: 0),
            isKeyframe: true)
    }
}

package final class LPCMDecoder: SoundDecoder {
    private let samples: AudioFormat

    package init(_ format: AudioStreamFormat) throws(MediaError) { samples = try format.uncompressed }

    package func decode(_ unit: AccessUnit) throws(MediaError) -> AudioFrame {
        guard unit.bytes.count % samples.bytesPerSample == 0 else {
            throw MediaError(
                .badData, "\(unit.bytes.count) bytes are not whole samples of \(samples.bytesPerSample) bytes")
        }
        return AudioFrame(format: samples, bytes: unit.bytes, presentationTime: unit.presentationTime)
    }
}

extension AudioStreamFormat {
    /// What is inside once it is decoded.
    var uncompressed: AudioFormat {
        get throws(MediaError) {
            let format = AudioFormat(sampleRate: sampleRate, channels: channels, sampleFormat: .float32)
            guard format.isSupported else {
                throw MediaError(.unsupported, "sound of \(sampleRate) Hz with \(channels) channels is not handled")
            }
            return format
        }
    }
}
