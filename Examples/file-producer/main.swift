// file-producer FILE [PORT]
//
// Plays a clip, with its sound, to the studios that this computer is paired with (`camo-producer pair CODE`): from the
// beginning, when the first one watches, and once.

import Foundation
import ProducerKit

/// Starts the clip when somebody watches, and ends the program with it.
final class Usher: ProducerControllerDelegate {
    private let source: FileVideoSource

    init(_ source: FileVideoSource) { self.source = source }

    func producerControllerShouldAcceptIncomingConnection(_ controller: ProducerController, from peer: Peer) -> Bool {
        true
    }

    func producerController(_ controller: ProducerController, stateDidChangeTo state: ProducerControllerState) {
        guard case .running(.active) = state else { return }
        do {
            try source.start()  // Does nothing while it plays.
        } catch {
            print("\(error)")
            exit(1)
        }
    }

    /// The controller observes the source, and passes its end on.
    func producerController(_ controller: ProducerController, sourceDidEndWith error: ProducerError?) {
        if let error { print("\(error)") }
        controller.stop()
        exit(error == nil ? 0 : 1)
    }
}

let arguments = CommandLine.arguments.dropFirst()
guard let path = arguments.first else {
    print("usage: file-producer FILE [PORT]")
    exit(64)
}
let source: FileVideoSource
do {
    source = try FileVideoSource(path: path)
} catch {
    // It says what is wrong with which file.
    print("\(error)")
    exit(66)
}
print("\(source.size), \(source.framesPerSecond) pictures a second")

var configuration = ProducerConfiguration()
configuration.name = path.split(separator: "/").last.map(String.init)
configuration.port = arguments.dropFirst().first.flatMap { UInt16($0) } ?? 0
let controller = ProducerController(configuration: configuration)
let usher = Usher(source)
controller.delegate = usher
source.add(observer: controller)
try controller.start()
while true { try await Task.sleep(for: .seconds(3_600)) }
