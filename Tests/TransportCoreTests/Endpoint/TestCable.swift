import CamoTypes
import Confinement
import Dispatch
import WireProtocol

@testable import TransportCore

/// A cable between the two endpoints of a test: the producer is the device, the studio the host, which begins a link
/// whenever there is none, as ``USBHostService`` does.
final class TestCable: Sendable {
    let cable = FakeCable()
    private let ends: Ends
    private let queue = DispatchQueue(label: "test.cable-services")
    private let ports = Locked<[USBPort]>([])
    /// Known to its own events: let go of at the end.
    private let host = Locked<USBPort?>(nil)
    /// How many links have begun.
    private let count = Locked(0)

    init(_ ends: Ends) { self.ends = ends }

    var linkCount: Int { count.withLock { $0 } }

    func plugIn() {
        guard ports.withLock({ $0.isEmpty }) else { return cable.putIn() }
        let (studio, producer) = (ends.studio, ends.producer)
        // One of them is enough: a timer that was set for an earlier one does nothing.
        let begins = Locked(0)
        let begin: @Sendable (Int) -> Void = { [host] number in
            guard begins.withLock({ $0 == number }) else { return }
            host.withLock { $0 }?.begin(nonce: .random(in: 0...UInt64.max))
        }
        let next: @Sendable () -> Int = {
            begins.withLock { begins in
                begins += 1
                return begins
            }
        }
        let hosting = USBPort(cable.pipe(.host), role: .host, on: queue) { [queue, count] event in
            switch event {
            case .enabled: begin(next())
            case .over:
                let number = next()
                queue.asyncAfter(deadline: .now() + .milliseconds(20)) { begin(number) }
            case .opened(let link):
                count.withLock { $0 += 1 }
                studio.acceptCable(link)
            case .disabled: studio.cableIsOut("usb fake")
            case .alike, .faulty, .starved: break
            }
        }
        host.withLock { $0 = hosting }
        let serving = USBPort(cable.pipe(.device), role: .device, on: queue) { event in
            switch event {
            case .opened(let link): producer.acceptCable(link)
            case .disabled: producer.cableIsOut("usb fake")
            case .enabled, .over, .alike, .faulty, .starved: break
            }
        }
        ports.withLock { $0 = [hosting, serving] }
        // The device is there before the host looks, as on a cable.
        serving.activate()
        hosting.activate()
    }

    func pullOut() { cable.pullOut() }

    /// Ends both programs and lets go of everything.
    func end() {
        ends.stop()
        for port in ports.withLock({ $0 }) { port.close {} }
        host.withLock { $0 = nil }
    }
}
