// smallest-producer [CODE]
//
// A grey picture, thirty times a second, for every studio that this computer is paired with. CODE is what `camo-studio
// pair` shows: it pairs the two, once.

import ProducerKit

final class Consent: ProducerControllerDelegate {
    func producerControllerShouldAcceptIncomingConnection(_ controller: ProducerController, from peer: Peer) -> Bool {
        true  // It is paired and has proven it: nobody else gets this far.
    }
    func producerController(_ controller: ProducerController, stateDidChangeTo state: ProducerControllerState) {}
}

let controller = ProducerController()
let consent = Consent()
controller.delegate = consent
if let code = CommandLine.arguments.dropFirst().first { _ = try await controller.pairStudioWithQRCodeData(code) }
try controller.start()

let pixels = [UInt8](repeating: 128, count: 640 * 480 * 4)
while true {
    let size = PixelSize(width: 640, height: 480)
    let frame = try pixels.withUnsafeBytes { try VideoFrame(copying: $0, size: size, format: .bgra) }
    controller.enqueueVideo(sampleBuffer: frame)
    try await Task.sleep(for: .milliseconds(33))
}
