import Testing

@testable import ProducerKit

@Suite struct PublishTargetTests {
    private static let secret = "s3cr3t"

    @Test(arguments: [
        ("rtmp://host/live/s3cr3t", "rtmp://host"),
        ("RTMP://host:1935/live/s3cr3t?token=s3cr3t", "rtmp://host:1935"),
        ("rtmps://name:s3cr3t@a.example.net:443/app/s3cr3t", "rtmps://a.example.net:443"),
        ("rtmp://name:s3%40cr3t@host/app/s3cr3t", "rtmp://host"),
        ("rtsp://s3cr3t@[::1]:8554/s3cr3t", "rtsp://[::1]:8554"),
        ("srt://10.0.0.1:9000?streamid=publish:s3cr3t&passphrase=s3cr3t", "srt://10.0.0.1:9000"),
        ("srt://10.0.0.1:9000/?passphrase=s3cr3t@s3cr3t", "srt://…"),
        ("udp://239.0.0.1:1234#s3cr3t", "udp://239.0.0.1:1234"),
        ("udp://@239.0.0.1:1234", "udp://239.0.0.1:1234"),
        // A slash in a password ends the host for whoever reads the address.
        ("rtmp://s3cr3t/word@host/app/key", "rtmp://…"),
    ])
    func `what is shown holds no secret, whichever way it is shown`(url: String, shown: String) throws {
        let target = try PublishTarget(url)
        #expect(target.description == shown)
        var dumped = ""
        dump(target, to: &dumped)
        for text in ["\(target)", String(reflecting: target), dumped, "\([target])", "\(["a": target])"] {
            #expect(!text.contains(Self.secret))
        }
        // The address itself is as it was given, but for the protocol's letters.
        #expect(target.url.dropFirst(4) == url.dropFirst(4))
    }

    @Test(arguments: [
        ("file:///tmp/s3cr3t", "'file'"), ("http://host/s3cr3t", "'http'"), ("concat://s3cr3t", "'concat'"),
        ("pipe:1", "begins with"), ("rtp://host:5004", "'rtp'"), ("rtsps://host/s3cr3t", "certificate"),
        ("s3cr3t", "begins with"), ("", "begins with"), ("://host", "''"), ("rtmp://", "no host"),
        ("rtmp:///s3cr3t", "no host"), ("rtmp://name:s3cr3t/app", "no host"), ("rtmp://host:s3cr3t/app", "no host"),
        ("rtmp://ho st/s3cr3t", "%20"), ("rtmp://host/s3cr3t\n", "%20"), ("rtmp://host/s3cr3t\u{0}", "%20"),
        ("rtmp://hóst/s3cr3t", "%20"), ("srt://host?s3cr3t", "port"), ("udp://host", "port"),
        ("udp://host:99999", "port"), ("rtmp://[::1/s3cr3t", "no host"), ("rtmp://[::1]s3cr3t/", "no host"),
        ("rtmp://a:s3cr3t:1/", "no host"), ("rtmp://host/" + String(repeating: "s3cr3t", count: 400), "longer"),
        ("s3cr3t word of a password://", "that protocol"),
    ])
    func `all else is refused, and the reason holds no secret`(url: String, reason: String) {
        let error = #expect(throws: ProducerError.self) { try PublishTarget(url) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.message.contains(reason) == true, "\(error?.message ?? "")")
        #expect(error?.message.contains(Self.secret) == false, "\(error?.message ?? "")")
    }
}
