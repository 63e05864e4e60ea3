package import CamoTypes

/// Sound of ``AudioFormat/standard`` in, access units out.
///
/// Not thread-safe.
package protocol SoundEncoder: AnyObject {
    /// What the units carry.
    var format: AudioStreamFormat { get }
    /// - Parameter frame: Exactly ``AudioStreamFormat/samplesPerPacket`` samples (``SoundChunker``).
    func encode(_ frame: AudioFrame) throws(MediaError) -> AccessUnit
}

/// Access units in, sound out.
///
/// Not thread-safe.
package protocol SoundDecoder: AnyObject {
    /// - Throws: ``MediaError`` for a unit that cannot be decoded; the next one may be.
    func decode(_ unit: AccessUnit) throws(MediaError) -> AudioFrame
}

package enum SoundCoding {
    /// Opens an encoder for what a studio was told.
    package static func encoder(for format: AudioStreamFormat) throws(MediaError) -> any SoundEncoder {
        switch format.codec {
        case .opus: try OpusEncoder(format)
        case .lpcm: try LPCMEncoder(format)
        }
    }

    package static func decoder(for format: AudioStreamFormat) throws(MediaError) -> any SoundDecoder {
        switch format.codec {
        case .opus: try OpusDecoder(format)
        case .lpcm: try LPCMDecoder(format)
        }
    }

    /// The length of packets for a studio that asked for `wanted` samples: Opus has only some lengths, LPCM any.
    package static func samplesPerPacket(_ wanted: Int, codec: AudioCodec) -> Int {
        switch codec {
        case .lpcm: max(64, min(4096, wanted))
        case .opus: OpusEncoder.packetLengths.last { $0 <= wanted } ?? OpusEncoder.packetLengths[0]
        }
    }
}
