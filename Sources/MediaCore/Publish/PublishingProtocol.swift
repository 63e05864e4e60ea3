/// How a stream is handed to a media server.
///
/// Not RTSP over TLS: libavformat takes any certificate there (5.1, rtsp.c hands the TLS layer no options).
package enum PublishingProtocol: String, CaseIterable, Sendable {
    case rtmp, rtmps, rtsp, srt, udp

    /// libavformat's name of what is inside.
    var format: String {
        switch self {
        case .rtmp, .rtmps: "flv"
        case .rtsp: "rtsp"
        case .srt, .udp: "mpegts"
        }
    }

    /// libavformat's protocols that this one consists of; no other is opened, whatever an address says.
    var protocols: String {
        switch self {
        case .rtmp: "rtmp,tcp"
        case .rtmps: "rtmps,tls,tcp"
        case .rtsp: "tcp,udp,rtp"
        case .srt: "srt"
        case .udp: "udp"
        }
    }

    /// The muxer connects by itself.
    var hasOwnConnection: Bool { self == .rtsp }

    /// Of the connection.
    var connectionOptions: [String: String] {
        var options = ["protocol_whitelist": protocols]
        switch self {
        case .rtmp: break
        // Else libavformat takes any certificate.
        case .rtmps: options["tls_verify"] = "1"
        case .rtsp: options["rtsp_transport"] = "tcp"
        // Seven packets of a transport stream, which is what players expect and an Ethernet frame holds.
        case .srt, .udp: options["pkt_size"] = "1316"
        }
        return options
    }

    /// Of the format.
    var formatOptions: [String: String] {
        switch self {
        case .rtmp, .rtmps: ["flvflags": "no_duration_filesize"]
        case .rtsp: connectionOptions
        case .srt, .udp: ["mpegts_flags": "pat_pmt_at_frames"]
        }
    }
}
