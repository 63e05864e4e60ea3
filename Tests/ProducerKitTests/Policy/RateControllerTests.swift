import CamoTypes
import Testing

@testable import ProducerKit

/// A link that carries so many bits a second, and the encode before it: thirty pictures a second, each as large as the
/// rate says, a picture encoded only when the one before is out, and not those that are spared.
private struct SimulatedLink {
    var bitsPerSecond: Int
    /// Bits that were given to the link and are not out.
    private var pending = 0.0
    private var startedAt = MonotonicTime.at(0)
    private(set) var now = MonotonicTime.at(0)
    /// What rate control has found out.
    private(set) var rate: Int
    private var controller: RateController
    private(set) var economy: PictureEconomy
    /// Steps of `economy`, up or down.
    private(set) var changes = 0
    private var skipped = 0
    private var sinceUpdate = 0
    /// Of the pictures since the last look: how old each was when it was out.
    private(set) var delays: [Microseconds] = []
    private(set) var sent = 0

    init(_ bitsPerSecond: Int, nominal: Int) {
        self.bitsPerSecond = bitsPerSecond
        controller = RateController(nominal: nominal)
        economy = PictureEconomy(nominal: nominal, definition: .super)
        rate = nominal
    }

    mutating func run(seconds: Int) {
        (delays, sent, changes) = ([], 0, 0)
        for _ in 0..<seconds * 1_000 { step() }
    }

    /// A millisecond.
    private mutating func step() {
        now = now + .milliseconds(1)
        if pending > 0 {
            pending -= Double(bitsPerSecond) / 1_000
            if pending <= 0 { delays.append(now - startedAt) }
        }
        guard now.microseconds / 1_000 % 33 == 0 else { return }
        sinceUpdate += 1
        if sinceUpdate == 8 {
            sinceUpdate = 0
            rate = controller.update(
                RateController.Sample(
                    time: now, pictureAge: pending > 0 ? now - startedAt : .zero, skipped: skipped,
                    deliveryBitsPerSecond: bitsPerSecond))
            skipped = 0
            if economy.update(bitsPerSecond: rate, at: now) { changes += 1 }
        }
        guard economy.takesNext() else { return }
        guard pending <= 0 else {
            skipped += 1
            return
        }
        pending = Double(rate) / (economy.isThinned ? 15 : 30)
        startedAt = now
        sent += 1
    }
}

@Suite struct RateControllerTests {
    @Test func `a link that carries it keeps the nominal rate`() {
        var link = SimulatedLink(20_000_000, nominal: 3_000_000)
        link.run(seconds: 30)
        #expect(link.rate == 3_000_000)
        #expect(link.sent >= 900)
    }

    @Test(arguments: [2_000_000, 1_000_000, 400_000])
    func `a link that carries less is found within five seconds, and its delay stays short`(carried: Int) {
        var link = SimulatedLink(carried, nominal: 6_000_000)
        link.run(seconds: 5)
        #expect(link.rate <= carried)
        // What it carries is used, and pictures get out before the next ones come.
        link.run(seconds: 20)
        #expect(link.rate >= carried / 2)
        let late = link.delays.filter { $0 > .milliseconds(100) }
        #expect(late.count * 20 <= link.delays.count, "\(late.count) of \(link.delays.count)")
        #expect(link.sent >= (link.economy.isThinned ? 250 : 500))
        // A tenth of what the definition takes is enough for all pictures.
        #expect(link.economy.isThinned == (carried < 600_000))
    }

    @Test func `a link that carries almost nothing gets few pictures, and small ones, and all again when it can`() {
        var link = SimulatedLink(120_000, nominal: 6_000_000)
        link.run(seconds: 30)
        #expect(link.economy.definition == .economy)
        #expect(link.sent >= 200)
        let late = link.delays.filter { $0 > .milliseconds(150) }
        #expect(late.count * 10 <= link.delays.count, "\(late.count) of \(link.delays.count)")
        link.bitsPerSecond = 50_000_000
        link.run(seconds: 90)
        #expect(!link.economy.isThinned && link.economy.definition == .super && link.rate == 6_000_000)
    }

    @Test(arguments: [120_000, 300_000, 800_000, 1_500_000])
    func `a link that stays as it is has nothing changed to and fro`(carried: Int) {
        var link = SimulatedLink(carried, nominal: 6_000_000)
        link.run(seconds: 30)
        link.run(seconds: 120)
        #expect(link.changes == 0)
    }

    @Test func `a link that gets better is used again`() {
        var link = SimulatedLink(1_000_000, nominal: 6_000_000)
        link.run(seconds: 10)
        link.bitsPerSecond = 50_000_000
        link.run(seconds: 30)
        #expect(link.rate == 6_000_000)
    }

    @Test func `a link that gets worse is followed at once`() {
        var link = SimulatedLink(50_000_000, nominal: 6_000_000)
        link.run(seconds: 10)
        link.bitsPerSecond = 500_000
        link.run(seconds: 3)
        #expect(link.rate <= 600_000)
    }

    @Test func `queues on the way count, not only those at home`() {
        var controller = RateController(nominal: 3_000_000)
        var sample = RateController.Sample(
            time: .at(0), roundTrip: .milliseconds(20), leastRoundTrip: .milliseconds(15))
        #expect(controller.update(sample) == 3_000_000)
        sample.time = .at(250)
        sample.roundTrip = .milliseconds(400)
        #expect(controller.update(sample) < 3_000_000)
    }

    @Test func `it never goes under what can be seen, whatever it hears`() {
        var controller = RateController(nominal: 3_000_000)
        for number in 0..<100 {
            let sample = RateController.Sample(
                time: .at(Int64(number) * 1_000), pictureAge: .seconds(Int64(9)), skipped: .max,
                roundTrip: Microseconds(.max), leastRoundTrip: Microseconds(.min), deliveryBitsPerSecond: 0)
            _ = controller.update(sample)
        }
        #expect(controller.bitsPerSecond == RateController.least)
    }

    @Test func `a shared encode takes the lowest rate, but not under half of the nominal one`() {
        #expect(RateController.shared([], nominal: 3_000_000) == 3_000_000)
        #expect(RateController.shared([200_000], nominal: 3_000_000) == 200_000)
        #expect(RateController.shared([3_000_000, 2_000_000], nominal: 3_000_000) == 2_000_000)
        #expect(RateController.shared([3_000_000, 200_000], nominal: 3_000_000) == 1_500_000)
    }
}
