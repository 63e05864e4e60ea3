// rendered-producer [PORT]
//
// Sends what a program renders to the studios that this computer is paired with (`camo-producer pair CODE`). PORT is for
// studios that are told where to connect; without it any free one is taken, and studios find the producer by Avahi.

import ProducerKit

final class Consent: ProducerControllerDelegate {
    func producerControllerShouldAcceptIncomingConnection(_ controller: ProducerController, from peer: Peer) -> Bool {
        true
    }
    func producerController(_ controller: ProducerController, stateDidChangeTo state: ProducerControllerState) {
        print("\(state)")
    }
    func producerController(_ controller: ProducerController, didReport line: String) { print(line) }
}

var configuration = ProducerConfiguration()
configuration.name = "Moving bar"
configuration.port = CommandLine.arguments.dropFirst().first.flatMap { UInt16($0) } ?? 0

let controller = ProducerController(configuration: configuration)
let consent = Consent()
controller.delegate = consent
let bar = MovingBar()
// From here on, what the bar outputs is enqueued. The source holds the controller weakly.
bar.add(observer: controller)
try controller.start()
try await bar.run()
