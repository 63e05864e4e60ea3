import CamoTypes
import CommandCore

/// One side of the comparison, started: pictures go into one process and come out of another.
struct Rig {
    let sender: Child
    let receiver: Child

    /// Ends both, the sender first. Its input is closed later, with the rig: somebody may be writing to it now.
    func end() {
        sender.end()
        receiver.end()
    }
}

/// Starts the sides. Every sender reads BGRA pictures without headers, every receiver writes I420 ones.
struct Rigging {
    let coding: CodingOptions
    let size: PixelSize
    /// What the children say.
    let logs: String
    /// Our two programs' state; nil where they are not measured.
    let pairing: Pairing?

    func start(_ side: Side) throws(BenchError) -> Rig {
        let port = try Port.unused()
        switch side {
        case .ours: return try ours(port)
        case .floor: return try floor(port)
        case .ffmpeg: return try ffmpeg(port)
        case .gstreamer: return try gstreamer(port)
        }
    }

    private func sender(_ arguments: [String]) throws(BenchError) -> Child {
        try Child(arguments, takesInput: true, log: logs + "/sender.log")
    }

    private func receiver(_ arguments: [String]) throws(BenchError) -> Child {
        try Child(arguments, givesOutput: true, log: logs + "/receiver.log")
    }

    private func ours(_ port: Int) throws(BenchError) -> Rig {
        guard let pairing else { throw BenchError("camo-producer and camo-studio are not paired") }
        let sender = try sender([
            coding.programs + "/camo-producer", "--raw", "-", "--size", "\(size)", "--fps",
            "\(coding.framesPerSecond)", "--bitrate", "\(coding.bitsPerSecond)", "--preset", coding.preset,
            "--no-advertise", "--port", "\(port)", "--state-dir", pairing.producerState,
        ])
        try Port.wait(for: port, of: sender)
        let receiver = try receiver([
            coding.programs + "/camo-studio", "--connect", "127.0.0.1:\(port)", "--stdout", "i420", "--state-dir",
            pairing.studioState,
        ])
        return Rig(sender: sender, receiver: receiver)
    }

    private func floor(_ port: Int) throws(BenchError) -> Rig {
        let receiver = try receiver([coding.programs + "/floor", "receive", "\(port)"])
        try Port.wait(for: port, of: receiver)
        let sender = try sender([
            coding.programs + "/floor", "send", "127.0.0.1", "\(port)", "\(size.width)", "\(size.height)",
            "\(coding.framesPerSecond)", "\(coding.bitsPerSecond)", coding.preset, "\(coding.threads)",
        ])
        return Rig(sender: sender, receiver: receiver)
    }

    /// x264 gets the same words by all routes: no look-ahead, no scene cuts, a keyframe every two seconds, and a
    /// quarter of a second of rate as its buffer.
    private var x264: String { "scenecut=0:keyint=\(2 * coding.framesPerSecond)" }

    private func ffmpeg(_ port: Int) throws(BenchError) -> Rig {
        let receiver = try receiver([
            "ffmpeg", "-nostdin", "-v", "warning", "-fflags", "nobuffer", "-flags", "low_delay", "-threads", "1", "-f",
            "mpegts", "-i", "tcp://127.0.0.1:\(port)?listen=1&tcp_nodelay=1", "-fps_mode", "passthrough", "-f",
            "rawvideo", "-pix_fmt", "yuv420p", "pipe:1",
        ])
        try Port.wait(for: port, of: receiver)
        let sender = try sender([
            "ffmpeg", "-v", "warning", "-f", "rawvideo", "-pixel_format", "bgra", "-video_size", "\(size)",
            "-framerate", "\(coding.framesPerSecond)", "-i", "pipe:0", "-c:v", "libx264", "-preset", coding.preset,
            "-tune", "zerolatency", "-pix_fmt", "yuv420p", "-threads", "\(coding.threads)", "-b:v",
            "\(coding.bitsPerSecond)", "-maxrate", "\(coding.bitsPerSecond)", "-bufsize",
            "\(coding.bitsPerSecond / 4)", "-x264-params", x264, "-f", "mpegts", "-muxdelay", "0", "-flush_packets",
            "1", "tcp://127.0.0.1:\(port)?tcp_nodelay=1",
        ])
        return Rig(sender: sender, receiver: receiver)
    }

    private func gstreamer(_ port: Int) throws(BenchError) -> Rig {
        let receiver = try receiver(
            words(
                """
                gst-launch-1.0 -q tcpserversrc host=127.0.0.1 port=\(port) ! gdpdepay ! h264parse \
                ! avdec_h264 max-threads=1 ! video/x-raw,format=I420 ! fdsink fd=1 sync=false
                """))
        try Port.wait(for: port, of: receiver)
        let sender = try sender(
            words(
                """
                gst-launch-1.0 -q fdsrc fd=0 do-timestamp=true blocksize=\(size.area * 4) \
                ! rawvideoparse format=bgra width=\(size.width) height=\(size.height) \
                framerate=\(coding.framesPerSecond)/1 ! videoconvert ! video/x-raw,format=I420 \
                ! x264enc tune=zerolatency speed-preset=\(coding.preset) bitrate=\(coding.bitsPerSecond / 1000) \
                vbv-buf-capacity=250 threads=\(coding.threads) key-int-max=\(2 * coding.framesPerSecond) \
                option-string=scenecut=0 ! video/x-h264,stream-format=byte-stream,alignment=au \
                ! gdppay ! tcpclientsink host=127.0.0.1 port=\(port) sync=false
                """))
        return Rig(sender: sender, receiver: receiver)
    }

    private func words(_ line: String) -> [String] { line.split(separator: " ").map(String.init) }
}
