import CamoTypes
import Confinement
import Dispatch
import Testing

@testable import TransportCore

/// The gadget is served whenever it is set up, whatever happens to it.
@Suite struct GadgetKeeperTests {
    /// A machine on which root composes and removes gadgets, and a program that keeps serving.
    private final class Machine: @unchecked Sendable {
        let queue = DispatchQueue(label: "test.keeper")
        /// The gadget that is composed; each is another one.
        var composed: Int?
        var hindrance: TransportError?
        /// Those that are served now.
        var served: [Int] = []
        var timers: [(delay: Microseconds, body: @Sendable () -> Void)] = []
        var told: [TransportError] = []
        var stops: [@Sendable () -> Void] = []

        private(set) var keeper: USBGadgetKeeper?

        init() {
            keeper = USBGadgetKeeper(
                on: queue, absence: { [unowned self] in composed == nil ? USBGadgetPlace.notSetUp : nil },
                make: { [unowned self] in life() },
                later: { [unowned self] in timers.append(($0, $1)) },
                failed: { [unowned self] in told.append($0) })
        }

        private func life() -> USBGadgetKeeper.Life {
            let number = composed ?? 0
            return USBGadgetKeeper.Life(
                start: { [unowned self] () throws(TransportError) in
                    if let hindrance { throw hindrance }
                    served.append(number)
                }, isOrphaned: { [unowned self] in composed != number },
                stop: { [unowned self] done in
                    served.removeAll { $0 == number }
                    stops.append(done)
                })
        }

        func start() -> TransportError? {
            queue.sync {
                do throws(TransportError) { try keeper?.start() } catch { return error }
                return nil
            }
        }

        /// Something is mounted or unmounted.
        func mount(_ number: Int?) {
            queue.sync {
                composed = number
                keeper?.look()
            }
        }

        func fireTimers() {
            queue.sync {
                let due = timers
                timers = []
                for timer in due { timer.body() }
            }
        }

        func finishStops() {
            queue.sync {
                let due = stops
                stops = []
                for done in due { done() }
            }
        }
    }

    @Test func `it begins when the gadget is set up, also after the program`() {
        let machine = Machine()
        #expect(machine.start()?.code == .gadgetMissing)
        machine.mount(nil)
        #expect(machine.served == [])
        machine.mount(1)
        #expect(machine.served == [1])
        // What is mounted elsewhere is nothing to it.
        machine.mount(1)
        #expect(machine.served == [1])
        #expect(machine.told == [])
    }

    @Test func `it goes over to a gadget that was composed anew, when the old one is let go of`() {
        let machine = Machine()
        machine.queue.sync { machine.composed = 1 }
        #expect(machine.start() == nil)
        #expect(machine.served == [1])
        machine.mount(2)
        #expect(machine.served == [])
        // Not before.
        machine.mount(2)
        #expect(machine.served == [])
        machine.finishStops()
        #expect(machine.served == [2])
        machine.mount(nil)
        machine.finishStops()
        #expect(machine.served == [])
        machine.mount(3)
        #expect(machine.served == [3])
    }

    @Test func `what hinders is told once and tried again, later each time`() {
        let machine = Machine()
        let busy = TransportError(.busy, "another program serves it")
        machine.queue.sync { (machine.composed, machine.hindrance) = (1, busy) }
        #expect(machine.start() == busy)
        var delays: [Microseconds] = []
        for _ in 0..<4 {
            delays += machine.timers.map(\.delay)
            machine.fireTimers()
        }
        #expect(machine.told == [])
        #expect(delays.count == 4)
        #expect(delays[3] > delays[0])
        let other = TransportError(.controllerMissing, "there is none")
        machine.queue.sync { machine.hindrance = other }
        machine.fireTimers()
        machine.fireTimers()
        #expect(machine.told == [other])
        machine.queue.sync { machine.hindrance = nil }
        machine.fireTimers()
        #expect(machine.served == [1])
        machine.fireTimers()
        #expect(machine.served == [1])
    }

    @Test func `a stop is told when it is off the cable, and nothing begins afterwards`() async {
        let machine = Machine()
        machine.queue.sync { machine.composed = 1 }
        #expect(machine.start() == nil)
        machine.queue.sync { machine.keeper?.stop {} }
        #expect(machine.served == [])
        machine.mount(2)
        machine.finishStops()
        #expect(machine.served == [])
        await withCheckedContinuation { done in
            let idle = Machine()
            idle.queue.sync { idle.keeper?.stop { withExtendedLifetime(idle) { done.resume() } } }
        }
    }
}
