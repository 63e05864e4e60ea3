import CamoTypes
import Testing

@testable import WireProtocol

@Suite struct USBLinkHandshakeTests {
    private static func opened(nonce: UInt64 = 7) -> (host: USBLinkHandshake, device: USBLinkHandshake) {
        var (host, device) = (USBLinkHandshake(.host), USBLinkHandshake(.device))
        _ = host.begin(nonce: nonce)
        _ = device.receive(USBLinkMessage(.reset, nonce: nonce))
        _ = host.receive(USBLinkMessage(.ready, nonce: nonce))
        _ = device.receive(USBLinkMessage(.start, nonce: nonce))
        return (host, device)
    }

    @Test func aLinkIsOpenWhenBothHaveSaidSo() {
        var (host, device) = (USBLinkHandshake(.host), USBLinkHandshake(.device))
        #expect(host.begin(nonce: 7) == [.discardWrites, .send(USBLinkMessage(.reset, nonce: 7))])
        #expect(host.reminder == USBLinkMessage(.reset, nonce: 7))
        let ready = USBLinkMessage(.ready, nonce: 7)
        #expect(device.receive(USBLinkMessage(.reset, nonce: 7)) == [.discardWrites, .send(ready)])
        #expect(!device.isOpen)
        #expect(host.receive(ready) == [.send(USBLinkMessage(.start, nonce: 7)), .open])
        #expect(host.reminder == nil)
        #expect(device.receive(USBLinkMessage(.start, nonce: 7)) == [.open])
        #expect(host.isOpen && device.isOpen)
    }

    @Test func eachResetIsAnswered() {
        var device = USBLinkHandshake(.device)
        for nonce: UInt64 in [7, 7, 8] {
            let ready = USBLinkMessage(.ready, nonce: nonce)
            #expect(device.receive(USBLinkMessage(.reset, nonce: nonce)) == [.discardWrites, .send(ready)])
        }
        // That of a link that never began.
        #expect(device.receive(USBLinkMessage(.start, nonce: 7)) == [])
        #expect(!device.isOpen)
        #expect(device.receive(USBLinkMessage(.start, nonce: 8)) == [.open])
    }

    @Test(arguments: DeviceRole.allCases)
    func twoOfAKindSayItToOneAnotherAndHaveNoLink(program: DeviceRole) {
        var (host, device) = (USBLinkHandshake(.host, program: program), USBLinkHandshake(.device, program: program))
        let reset = USBLinkMessage(.reset, nonce: 7, program: program)
        #expect(host.begin(nonce: 7) == [.discardWrites, .send(reset)] && host.reminder == reset)
        let ready = USBLinkMessage(.ready, nonce: 7, program: program)
        #expect(device.receive(reset) == [.discardWrites, .send(ready), .alike(program)])
        #expect(host.receive(ready) == [.alike(program)])
        #expect(device.receive(USBLinkMessage(.start, nonce: 7)) == [])
        #expect(host.state == .idle && device.state == .idle)
    }

    @Test(arguments: [nil, DeviceRole.producer])
    func whoIsOfAnotherKindOrDoesNotSayHasALink(other: DeviceRole?) {
        var (host, device) = (USBLinkHandshake(.host, program: other), USBLinkHandshake(.device, program: .studio))
        _ = host.begin(nonce: 7)
        let ready = USBLinkMessage(.ready, nonce: 7, program: .studio)
        #expect(
            device.receive(USBLinkMessage(.reset, nonce: 7, program: other)) == [.discardWrites, .send(ready)])
        #expect(host.receive(ready) == [.send(USBLinkMessage(.start, nonce: 7)), .open])
        #expect(device.receive(USBLinkMessage(.start, nonce: 7)) == [.open])
    }

    @Test(arguments: [USBLinkMessage.Kind.ready, .start, .end, .close])
    func whatIsLeftOfAnotherLinkIsPassedOver(kind: USBLinkMessage.Kind) {
        var host = USBLinkHandshake(.host)
        _ = host.begin(nonce: 7)
        #expect(host.receive(USBLinkMessage(kind, nonce: 6)) == [])
        #expect(host.state == .resetting(nonce: 7))
        var (openHost, openDevice) = Self.opened()
        #expect(openHost.receive(USBLinkMessage(kind, nonce: 6)) == [])
        #expect(openDevice.receive(USBLinkMessage(kind, nonce: 6)) == [])
        #expect(openHost.isOpen && openDevice.isOpen)
    }

    /// `reset` was said twice, and so `ready` was.
    @Test func aSecondAnswerIsPassedOver() {
        var (host, _) = Self.opened()
        #expect(host.receive(USBLinkMessage(.ready, nonce: 7)) == [])
        #expect(host.isOpen)
    }

    @Test func aHostThatBeginsAnewEndsTheLink() {
        var (_, device) = Self.opened()
        let ready = USBLinkMessage(.ready, nonce: 9)
        #expect(
            device.receive(USBLinkMessage(.reset, nonce: 9))
                == [.over(isOrderly: false), .discardWrites, .send(ready)])
    }

    @Test func anEndIsOfOneDirectionAndACloseOfBoth() {
        var (host, device) = Self.opened()
        #expect(host.receive(USBLinkMessage(.end, nonce: 7)) == [.end])
        #expect(host.isOpen)
        #expect(device.close() == USBLinkMessage(.close, nonce: 7))
        #expect(host.receive(USBLinkMessage(.close, nonce: 7)) == [.over(isOrderly: true)])
        #expect(!host.isOpen && !device.isOpen)
        #expect(host.close() == nil)
    }

    @Test func aLostCableEndsWhatWasOpen() {
        var (host, device) = Self.opened()
        #expect(host.interrupt() == [.over(isOrderly: false)])
        #expect(device.interrupt() == [.over(isOrderly: false)])
        #expect(host.interrupt() == [])
    }

    @Test func eachEndSaysOnlyWhatIsItsOwn() {
        var (host, device) = (USBLinkHandshake(.host), USBLinkHandshake(.device))
        #expect(device.begin(nonce: 1) == [])
        #expect(host.receive(USBLinkMessage(.reset, nonce: 1)) == [])
        #expect(host.state == .idle && device.state == .idle)
    }
}
