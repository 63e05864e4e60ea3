import CamoTypes
import Testing

@testable import WireProtocol

@Suite struct ViewerTableTests {
    private func viewer(_ device: UInt8, _ session: UInt8 = 1) -> ViewerTable.Viewer {
        ViewerTable.Viewer(device: DeviceID(test: device), session: SessionID(test: session))
    }

    @Test func theSameKeyAndSessionTakeOver() {
        var table = ViewerTable()
        #expect(table.admit(viewer(1), link: 10) == .newViewer(evicted: []))
        #expect(table.admit(viewer(1), link: 11) == .takeover(from: [10]))
        #expect(table.links(of: viewer(1)) == [10, 11])
        table.linkClosed(10, at: .seconds(1))
        #expect(table.links(of: viewer(1)) == [11])
        #expect(table.deadline == nil)
        #expect(table.viewers.count == 1)
    }

    @Test func anotherSessionOrAnotherKeyIsOneMoreViewer() {
        var table = ViewerTable()
        _ = table.admit(viewer(1, 1), link: 10)
        #expect(table.admit(viewer(1, 2), link: 11) == .newViewer(evicted: []))
        // The session alone is worth nothing: another key cannot take it over.
        #expect(table.admit(viewer(2, 1), link: 12) == .newViewer(evicted: []))
        #expect(table.viewers == [viewer(1, 1), viewer(1, 2), viewer(2, 1)])
    }

    @Test func fourForEachKeySixteenInAll() {
        var table = ViewerTable()
        var link: UInt64 = 0
        for device in UInt8(1)...4 {
            for session in UInt8(1)...4 {
                link += 1
                #expect(table.admit(viewer(device, session), link: link) == .newViewer(evicted: []))
            }
            #expect(table.admit(viewer(device, 5), link: 99) == .full)
        }
        #expect(table.admit(viewer(5), link: 99) == .full)
        #expect(table.viewers.count == 16)
        // Who is in may still move.
        #expect(table.admit(viewer(3, 2), link: 100) == .takeover(from: [10]))
        table.linkClosed(1, at: .seconds(0))
        #expect(table.expire(now: .seconds(5)) == [viewer(1, 1)])
        #expect(table.admit(viewer(5), link: 101) == .newViewer(evicted: []))
    }

    @Test func aSessionOutlivesItsLinkByFiveSeconds() {
        var table = ViewerTable()
        _ = table.admit(viewer(1), link: 10)
        table.linkClosed(10, at: .seconds(100))
        #expect(table.deadline == .seconds(105))
        #expect(table.expire(now: .milliseconds(104_999)).isEmpty)
        #expect(table.isKnown(viewer(1)))
        #expect(table.admit(viewer(1), link: 11) == .takeover(from: []))
        #expect(table.expire(now: .seconds(200)).isEmpty, "it has a link again")
        table.linkClosed(11, at: .seconds(200))
        #expect(table.expire(now: .seconds(205)) == [viewer(1)])
        #expect(table.viewers.isEmpty && table.deadline == nil)
    }

    @Test func aSessionThatLostItsLinkMakesRoomForANewOne() {
        var table = ViewerTable()
        for session in UInt8(1)...4 { _ = table.admit(viewer(1, session), link: UInt64(session)) }
        table.linkClosed(3, at: .seconds(1))
        table.linkClosed(2, at: .seconds(2))
        #expect(table.admission(of: viewer(1, 9)) == .newViewer(evicted: [viewer(1, 3)]))
        #expect(table.admit(viewer(1, 9), link: 9) == .newViewer(evicted: [viewer(1, 3)]))
        #expect(!table.isKnown(viewer(1, 3)))
        #expect(table.viewers.count == 4)
    }

    @Test func removingADeviceEndsAllItsSessions() {
        var table = ViewerTable()
        _ = table.admit(viewer(1, 1), link: 10)
        _ = table.admit(viewer(1, 1), link: 11)
        _ = table.admit(viewer(1, 2), link: 12)
        _ = table.admit(viewer(2, 1), link: 13)
        #expect(table.remove(device: DeviceID(test: 1)) == [10, 11, 12])
        #expect(table.viewers == [viewer(2, 1)])
        #expect(table.remove(viewer(2, 1)) == [13])
        #expect(table.viewers.isEmpty)
    }

    @Test func aLinkThatNobodyKnowsChangesNothing() {
        var table = ViewerTable()
        _ = table.admit(viewer(1), link: 10)
        table.linkClosed(77, at: .seconds(1))
        #expect(table.links(of: viewer(1)) == [10])
    }
}
