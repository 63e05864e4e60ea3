import Foundation
import ProducerKit

/// The sample flow of the Camo SDK, as an app would have it, on ProducerKit: a controller, its delegate, a status line for
/// people, pictures and sound, pairing and its end, the list of paired studios. `docs/porting.md` has it beside the names
/// of the other side.
///
/// It uses what is public and nothing else. All of it runs on the main actor, as a view model does.
@MainActor final class CameraManager: ProducerControllerDelegate {
    private let controller: ProducerController
    /// Somebody has answered for this studio; an app would ask.
    var accepts = true
    private(set) var statusText = "Not running"
    private(set) var statusTexts: [String] = []

    init(configuration: ProducerConfiguration) {
        controller = ProducerController(configuration: configuration)
        controller.delegate = self
        // Where the delegate is called. Without this line: a queue of the controller's own.
        controller.delegateQueue = .main
    }

    func start() throws { try controller.start() }
    func stop() { controller.stop() }
    var port: UInt16 { controller.port }

    // MARK: The delegate; on the main queue, as asked for

    nonisolated func producerControllerShouldAcceptIncomingConnection(
        _ controller: ProducerController, from peer: Peer
    ) -> Bool {
        MainActor.assumeIsolated { accepts }
    }

    nonisolated func producerController(
        _ controller: ProducerController, stateDidChangeTo state: ProducerControllerState
    ) {
        MainActor.assumeIsolated { show(state) }
    }

    private func show(_ state: ProducerControllerState) {
        statusText =
            switch state {
            case .stopped: "Not running"
            case .running(.notConnected): "Waiting for a studio"
            case .running(.paused(let connection)): "Paused by \(connection.peer.name)"
            case .running(.active(let connection)): "Live on \(connection.peer.name)"
            }
        statusTexts.append(statusText)
    }

    // MARK: Pictures and sound

    /// A picture in BGRA, as a capture session or a renderer has it.
    func didCapture(pixels: [UInt8], width: Int, height: Int) throws {
        let frame = try pixels.withUnsafeBytes {
            try VideoFrame(copying: $0, size: PixelSize(width: width, height: height), format: .bgra)
        }
        controller.enqueueVideo(sampleBuffer: frame)
    }

    /// Sound: 48 kHz, two channels, interleaved, `Float32`.
    func didCapture(sound: Data) { controller.enqueuePCMAudio(data: sound) }

    /// How many samples per channel the studio would like at once.
    var samplesRequired: Int { controller.audioSamplesRequired }

    // MARK: Pairing

    func pair(
        scanned text: String, completion: @escaping @Sendable (Result<PairedDevice, ProducerPairingError>) -> Void
    ) {
        controller.pairStudioWithQRCodeData(text, completion: completion)
    }

    func cancelPairing() { controller.cancelPairing() }
    var pairedStudios: [PairedDevice] { controller.pairedDevices }
    func forget(_ studio: PairedDevice) throws { try controller.removePairedDevice(studio.id) }
}
