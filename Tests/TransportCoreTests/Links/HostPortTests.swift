import Testing

@testable import TransportCore

@Suite struct HostPortTests {
    static let good: [(text: String, host: String, port: UInt16)] = [
        ("127.0.0.1:5700", "127.0.0.1", 5700),
        ("studio.local:1", "studio.local", 1),
        ("box_1-a:65535", "box_1-a", 65535),
        ("[::1]:80", "::1", 80),
        ("[fe80::1%eth0]:5700", "fe80::1%eth0", 5700),
        ("[2001:db8::7]:443", "2001:db8::7", 443),
        ("käse.local:9", "käse.local", 9),
    ]

    @Test(arguments: good)
    func `an address is read and written the same`(good: (text: String, host: String, port: UInt16)) throws {
        let address = try HostPort(parsing: good.text)
        #expect(address == HostPort(host: good.host, port: good.port))
        #expect(address.description == good.text)
    }

    static let bad: [(text: String, why: String)] = [
        ("", "has no port"), ("studio", "has no port"), ("127.0.0.1", "has no port"),
        (":5700", "has no host"), ("[]:5700", "IPv6"),
        ("studio:", "the port"), ("studio:0", "the port"), ("studio:65536", "the port"), ("studio:-1", "the port"),
        ("studio:+80", "the port"), ("studio: 80", "the port"), ("studio:80x", "the port"), ("studio:nan", "the port"),
        ("studio:1000000000000000000000", "the port"), ("studio:٣", "the port"),
        ("::1", "needs brackets"), ("fe80::1%eth0", "needs brackets"), ("[::1]", "needs brackets"),
        ("[studio]:80", "brackets are for IPv6"), ("stu dio:80", "characters"), ("stu\ndio:80", "characters"),
        ("stu/dio:80", "characters"), ("a@b:80", "characters"),
        (String(repeating: "a", count: 300) + ":80", "too long"),
    ]

    @Test(arguments: bad)
    func `what isn't an address is refused with the reason`(bad: (text: String, why: String)) {
        let error = #expect(throws: TransportError.self) { try HostPort(parsing: bad.text) }
        #expect(error?.code == .addressInvalid)
        #expect(error?.message.contains(bad.why) == true, "\(error?.message ?? "")")
        // Whatever it was, it goes to a terminal.
        #expect(error?.message.unicodeScalars.allSatisfy { $0.value >= 0x20 } == true)
    }

    @Test func `the scope of a link-local address is kept to the socket`() throws {
        let address = try #require(AddressLookup.numericAddress(of: HostPort(host: "fe80::1%lo", port: 5700)))
        #expect(address.description == "[fe80::1%lo]:5700")
        #expect(!address.lacksScope)
        let bare = try #require(AddressLookup.numericAddress(of: HostPort(host: "fe80::1", port: 5700)))
        #expect(bare.lacksScope)
        #expect(AddressLookup.numericAddress(of: HostPort(host: "studio.local", port: 5700)) == nil)
    }
}
