/// What a packet carries. 0 … 127 that are not listed are skipped by their length; 128 … 255 are a protocol error, so
/// that a stream which lost its place is noticed soon.
package struct PacketType: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }

    /// One JSON object, on stream 0.
    package static let control = PacketType(rawValue: 0)
    /// One access unit of H.264 in Annex B.
    package static let video = PacketType(rawValue: 1)
    /// One Opus packet, or a run of LPCM.
    package static let audio = PacketType(rawValue: 2)
    /// One JSON object that may be dropped: `motion`.
    package static let metadata = PacketType(rawValue: 3)

    package static let all: [PacketType] = [.control, .video, .audio, .metadata]

    package var isKnown: Bool { rawValue <= PacketType.metadata.rawValue }
    package var isReserved: Bool { rawValue >= 128 }

    /// The longest unit of this type, in bytes.
    package var unitByteCountLimit: Int {
        switch self {
        case .control, .metadata: Limits.controlByteCount
        case .audio: Limits.audioByteCount
        default: Limits.unitByteCount
        }
    }

    package var description: String {
        switch self {
        case .control: "control"
        case .video: "video"
        case .audio: "audio"
        case .metadata: "metadata"
        default: "type \(rawValue)"
        }
    }
}
