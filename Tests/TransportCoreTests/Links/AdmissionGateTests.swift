import CamoTypes
import Testing

@testable import TransportCore

@Suite struct AdmissionGateTests {
    private func time(_ milliseconds: Int64) -> MonotonicTime { MonotonicTime(microseconds: milliseconds * 1_000) }

    private func drops(_ actions: [AdmissionGate.Action]) -> [AdmissionGate.Action] {
        actions.filter { if case .drop = $0 { true } else { false } }
    }

    @Test func `a ninth connection from one address drops its oldest`() {
        var gate = AdmissionGate()
        for id in 1...8 { #expect(gate.connectionAccepted(UInt64(id), from: "10.0.0.1", at: time(0)) == []) }
        #expect(gate.connectionAccepted(100, from: "10.0.0.2", at: time(0)) == [])
        #expect(drops(gate.connectionAccepted(9, from: "10.0.0.1", at: time(1))) == [.drop(1, .tooManyFromOneAddress)])
        #expect(gate.count == 9)
    }

    @Test func `a sixty-fifth connection drops the oldest of all`() {
        var gate = AdmissionGate()
        for id in 0..<64 { #expect(gate.connectionAccepted(UInt64(id), from: "10.0.0.\(id / 8)", at: time(0)) == []) }
        #expect(drops(gate.connectionAccepted(64, from: "10.0.1.1", at: time(1))) == [.drop(0, .tooMany)])
        #expect(drops(gate.connectionAccepted(65, from: "10.0.1.1", at: time(1))) == [.drop(1, .tooMany)])
        #expect(gate.count == 64)
    }

    @Test func `a flood from one address never drops another's`() {
        var gate = AdmissionGate()
        _ = gate.connectionAccepted(1, from: "10.0.0.1", at: time(0))
        for id in 2..<10_000 {
            let dropped = drops(gate.connectionAccepted(UInt64(id), from: "10.0.0.66", at: time(Int64(id))))
            #expect(!dropped.contains(.drop(1, .tooMany)))
        }
        #expect(gate.count == 9)
    }

    @Test func `each stage has its time`() {
        var gate = AdmissionGate()
        _ = gate.connectionAccepted(1, from: "a", at: time(0))
        _ = gate.connectionAccepted(2, from: "b", at: time(1_000))
        #expect(gate.nextDeadline == time(3_000))
        gate.handshakeFinished(1, at: time(2_900))
        #expect(gate.nextDeadline == time(4_000))
        #expect(drops(gate.timePassed(time(3_999))) == [])
        #expect(drops(gate.timePassed(time(4_000))) == [.drop(2, .handshakeTooSlow)])
        #expect(drops(gate.timePassed(time(4_899))) == [])
        #expect(drops(gate.timePassed(time(4_900))) == [.drop(1, .helloTooSlow)])
        #expect(gate.count == 0)
    }

    @Test func `who is admitted or gone has no deadline and takes no place`() {
        var gate = AdmissionGate()
        _ = gate.connectionAccepted(1, from: "a", at: time(0))
        _ = gate.connectionAccepted(2, from: "a", at: time(0))
        gate.admitted(1)
        gate.closed(2)
        #expect(gate.count == 0 && gate.nextDeadline == nil)
        #expect(gate.timePassed(time(100_000)) == [])
        // Whoever comes late with news about them changes nothing.
        gate.handshakeFinished(1, at: time(0))
        #expect(gate.received(1 << 40, on: 2, at: time(0)) == [])
    }

    @Test func `more bytes than a hello has are too many, however they are counted`() {
        var gate = AdmissionGate()
        _ = gate.connectionAccepted(1, from: "a", at: time(0))
        _ = gate.connectionAccepted(2, from: "a", at: time(0))
        #expect(drops(gate.received(32 << 10, on: 1, at: time(0))) == [])
        #expect(drops(gate.received(1, on: 1, at: time(0))) == [.drop(1, .tooManyBytes)])
        #expect(drops(gate.received(.max, on: 2, at: time(0))) == [.drop(2, .tooManyBytes)])
    }

    @Test func `one line a second tells of everything that was dropped`() {
        var gate = AdmissionGate()
        var lines: [String] = []
        func note(_ actions: [AdmissionGate.Action]) {
            for case .log(let line) in actions { lines.append(line) }
        }
        for id in 0..<1_000 { note(gate.connectionAccepted(UInt64(id), from: "10.0.0.66", at: time(Int64(id)))) }
        // The first at once, the rest when a second has passed.
        #expect(lines.count == 1)
        #expect(gate.nextDeadline == time(1_008))
        note(gate.timePassed(time(1_008)))
        #expect(lines.count == 2)
        #expect(lines[1].contains("991 (too many connections from one address)") && lines[1].contains("10.0.0.66"))
        note(gate.timePassed(time(3_000)))
        #expect(lines.count == 2)
    }
}
