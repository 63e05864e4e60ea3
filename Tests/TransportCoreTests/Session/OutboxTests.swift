import CamoTypes
import Testing
import WireProtocol

@testable import TransportCore

@Suite struct OutboxTests {
    private let now = MonotonicTime(microseconds: 1_000_000)

    private func unit(_ type: PacketType, bytes: Int, number: UInt32 = 0) -> UnitSplitter {
        UnitSplitter(
            unit: AccessUnit(
                bytes: [UInt8](repeating: 7, count: bytes), presentationTime: now, isKeyframe: true),
            type: type, stream: type == .audio ? 3 : 1, number: number)
    }

    /// `#expect` cannot call what changes a value.
    private func takes(_ outbox: inout Outbox, picture: UnitSplitter) -> Bool {
        outbox.start(picture: picture, at: now)
    }
    private func takesPing(_ outbox: inout Outbox) -> Bool { outbox.append(.ping(Ping(id: 1)), at: now) }

    private func types(_ outbox: inout Outbox, _ count: Int = .max) -> [UInt8] {
        var types: [UInt8] = []
        while types.count < count, let packet = outbox.next().packet { types.append(packet[0]) }
        return types
    }

    @Test func `control goes before sound, and sound before the rest of a picture`() {
        var outbox = Outbox()
        let taken1 = takes(&outbox, picture: unit(.video, bytes: 40_000))
        #expect(taken1)
        let taken10 = types(&outbox, 1)
        #expect(taken10 == [1])
        let taken14 = outbox.append(sound: unit(.audio, bytes: 100), at: now)
        #expect(taken14 == 0)
        let taken7 = takesPing(&outbox)
        #expect(taken7)
        let taken11 = types(&outbox)
        #expect(taken11 == [0, 2, 1, 1])
    }

    @Test func `a picture is out when the link asks for more after its last packet`() {
        var outbox = Outbox()
        let taken2 = takes(&outbox, picture: unit(.video, bytes: 100))
        #expect(taken2)
        let taken3 = !takes(&outbox, picture: unit(.video, bytes: 100))
        #expect(taken3)
        let first = outbox.next()
        #expect(first.packet != nil && !first.pictureIsOut && outbox.isPictureUnderWay)
        let second = outbox.next()
        #expect(second.packet == nil && second.pictureIsOut && !outbox.isPictureUnderWay)
        let isOutAgain = outbox.next().pictureIsOut
        #expect(!isOutAgain)
        let taken4 = takes(&outbox, picture: unit(.video, bytes: 100))
        #expect(taken4)
    }

    @Test func `a picture that was begun is cut, one that was not is forgotten`() {
        var outbox = Outbox()
        let taken5 = takes(&outbox, picture: unit(.video, bytes: 40_000))
        #expect(taken5)
        _ = outbox.next()
        outbox.cutPicture()
        let cut = outbox.next().packet
        #expect(cut.map { PacketFlags(rawValue: $0[1]).contains(.cut) } == true)
        let afterCut = outbox.next().packet
        #expect(afterCut == nil)
        let taken6 = takes(&outbox, picture: unit(.video, bytes: 40_000))
        #expect(taken6)
        outbox.cutPicture()
        let afterForgotten = outbox.next().packet
        #expect(afterForgotten == nil && !outbox.isPictureUnderWay)
    }

    @Test func `sound that waits longer than a quarter of a second is dropped, the oldest first`() {
        var outbox = Outbox()
        for index in 0..<10 {
            let time = now + .milliseconds(Int64(index) * 10)
            let taken15 = outbox.append(sound: unit(.audio, bytes: 50, number: UInt32(index)), at: time)
            #expect(taken15 == 0)
        }
        let late = now + .milliseconds(295)
        let taken16 = outbox.append(sound: unit(.audio, bytes: 50, number: 10), at: late)
        #expect(taken16 == 5)
        let taken12 = types(&outbox)
        #expect(taken12.count == 6)
    }

    @Test func `a peer that never reads is noticed`() {
        var outbox = Outbox()
        for _ in 0..<Outbox.controlLimit {
            let taken8 = takesPing(&outbox)
            #expect(taken8)
        }
        let taken9 = !takesPing(&outbox)
        #expect(taken9)
    }

    @Test func `a unit that cannot be sent does not stop those behind it`() {
        var outbox = Outbox()
        _ = outbox.append(sound: unit(.audio, bytes: 0), at: now)
        _ = outbox.append(sound: unit(.audio, bytes: 10), at: now)
        let taken13 = types(&outbox)
        #expect(taken13 == [2])
    }
}
