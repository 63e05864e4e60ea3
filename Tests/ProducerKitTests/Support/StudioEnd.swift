import CamoTypes
import WireProtocol

@testable import ProducerKit
@testable import TransportCore

/// The other end, without `StudioKit`: keeps what comes.
final class StudioEnd: Sendable {
    struct Seen: Sendable {
        var states: [StudioEndpointState] = []
        var formats: [VideoStreamFormat] = []
        var pictures: [AccessUnit] = []
        var sounds: [AccessUnit] = []
        var capabilities: Capabilities?
        var cameras: Cameras?
        var controls: Controls?
        var controlChanges: [ControlChanged] = []
        var lenses: [CameraParametersMessage] = []
        var playbacks: [Playback] = []
        /// Why what it said is over.
        var talkEnds: [String?] = []

        var isConnected: Bool { if case .connected = states.last { true } else { false } }
        /// Why it will not be let in, however often it tries.
        var refusal: Goodbye.Reason? { if case .refused(_, let goodbye) = states.last { goodbye } else { nil } }
    }

    let home: Installation
    let endpoint: StudioEndpoint
    let seen: Watched<Seen>
    private let folder: TemporaryFolder

    init(name: String = "Desk") throws {
        folder = try TemporaryFolder()
        home = try Installation(folder.path, program: "camo-studio", report: { _ in })
        let listener = Listener()
        seen = listener.seen
        endpoint = StudioEndpoint(
            identity: home.identity, store: home.store, name: name, product: "test 1", delegate: listener)
    }

    func dial(_ port: UInt16) { endpoint.connect(to: .address(HostPort(host: "127.0.0.1", port: port))) }

    /// Looks at cables, and would pair with whoever is there.
    func waitForCable() { endpoint.connect(to: .devices([]), pairsOverCable: true) }

    private final class Listener: StudioEndpointDelegate {
        let seen = Watched(Seen())

        func studioEndpoint(_ endpoint: StudioEndpoint, didChangeTo state: StudioEndpointState) {
            seen.change { $0.states.append(state) }
        }
        func studioEndpoint(_ endpoint: StudioEndpoint, didWelcome capabilities: Capabilities) {
            seen.change { $0.capabilities = capabilities }
        }
        func studioEndpoint(_ endpoint: StudioEndpoint, didBeginPicture format: VideoStreamFormat, stream: UInt16) {
            seen.change { $0.formats.append(format) }
        }
        func studioEndpoint(_ endpoint: StudioEndpoint, didReceivePicture unit: ReceivedUnit, stream: UInt16) {
            seen.change { $0.pictures.append(unit.unit) }
        }
        func studioEndpoint(_ endpoint: StudioEndpoint, didBeginSound format: AudioStreamFormat, stream: UInt16) {}
        func studioEndpoint(_ endpoint: StudioEndpoint, didReceiveSound unit: ReceivedUnit, stream: UInt16) {
            seen.change { $0.sounds.append(unit.unit) }
        }
        func studioEndpoint(_ endpoint: StudioEndpoint, didEndStream stream: UInt16) {}
        func studioEndpoint(_ endpoint: StudioEndpoint, didReceive message: ControlMessage) {
            seen.change { seen in
                switch message {
                case .cameras(let cameras): seen.cameras = cameras
                case .controls(let controls): seen.controls = controls
                case .controlChanged(let change): seen.controlChanges.append(change)
                case .playback(let playback): seen.playbacks.append(playback)
                case .talkEnded(let message): seen.talkEnds.append(message.text)
                case .capabilitiesChanged(let message): seen.capabilities = message.capabilities
                case .cameraParameters(let message): seen.lenses.append(message)
                default: break
                }
            }
        }
        func studioEndpoint(_ endpoint: StudioEndpoint, didReport notice: EndpointNotice) {}
    }
}
