import CamoTypes
import Testing
import WireProtocol

@testable import ProducerKit
@testable import TransportCore

/// A viewer without a network. It behaves as ``Viewer`` does: takes one picture at a time, and after a gap only a
/// keyframe.
final class FakeViewer: ViewerSink {
    struct State: Sendable {
        var subscription: Subscription
        var isOnCable = false
        var isPaused = false
        /// Its link takes pictures at once; else the test says when one is out (``pictureIsOut()``).
        var isFast: Bool
        var isUnderWay = false
        var needsKeyframe = true
        var format: VideoStreamFormat?
        var metrics = ViewerMetrics(sentBytes: 0, pictureAge: .zero, skippedPictures: 0)

        var formats: [VideoStreamFormat] = []
        var endings = 0
        /// With the time of the picture that each begins with.
        var cameras: [(parameters: CameraParameters?, since: MonotonicTime)] = []
        var motion: [DetectedMotion] = []
        var statistics: [Statistics] = []
        var pictures: [AccessUnit] = []
        var numbers: [UInt32] = []
        /// As it was announced, for each of the pictures.
        var sizes: [PixelSize] = []
        var offers: [PictureOffer] = []
        var soundFormats: [AudioStreamFormat] = []
        var sounds: [AccessUnit] = []
        var soundEndings = 0

        var wantsPicture: Bool { subscription.video && !isPaused }
        var wantsSound: Bool { subscription.audio && !subscription.audioCodecs.isEmpty && !isPaused }
    }

    let id: UInt64
    let state: Watched<State>

    init(_ id: UInt64 = 1, _ subscription: Subscription = Subscription(audio: false), isFast: Bool = true) {
        self.id = id
        state = Watched(State(subscription: subscription, isFast: isFast))
    }

    var now: State { state.value }
    var pictures: [AccessUnit] { now.pictures }

    /// The link has taken the last picture.
    func pictureIsOut() { state.change { $0.isUnderWay = false } }

    func waitForPictures(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
        let came = await state.hasCome { $0.pictures.count >= count }
        if !came { Issue.record("\(pictures.count) of \(count) pictures came", sourceLocation: sourceLocation) }
    }

    func waitForOffers(_ count: Int, sourceLocation: SourceLocation = #_sourceLocation) async {
        let came = await state.hasCome { $0.offers.count >= count }
        if !came { Issue.record("\(now.offers.count) of \(count) offers came", sourceLocation: sourceLocation) }
    }

    // MARK: ViewerSink

    var peerName: String { "Desk \(id)" }
    var wantsPicture: Bool { now.wantsPicture }
    var wantsSound: Bool { now.wantsSound }
    var isReadyForPicture: Bool {
        let now = now
        return now.wantsPicture && !now.isUnderWay
    }
    var subscription: Subscription { now.subscription }
    var isOnCable: Bool { now.isOnCable }
    var metrics: ViewerMetrics { now.metrics }

    func beginPicture(_ format: VideoStreamFormat) {
        state.change { state in
            state.format = format
            state.formats.append(format)
            state.needsKeyframe = true
        }
    }

    func tellCamera(_ parameters: CameraParameters?, since time: MonotonicTime) {
        state.change { state in
            guard state.cameras.last.flatMap(\.parameters) != parameters else { return }
            state.cameras.append((parameters, time))
        }
    }

    func tell(_ statistics: Statistics) { state.change { $0.statistics.append(statistics) } }
    func tell(_ motion: DetectedMotion) { state.change { $0.motion.append(motion) } }

    func endPicture() {
        state.change { state in
            state.format = nil
            state.endings += 1
        }
    }

    func offerPicture(_ unit: AccessUnit, number: UInt32) -> PictureOffer {
        state.change { state in
            let offer = Self.offer(unit, &state)
            state.offers.append(offer)
            if offer == .sent {
                state.pictures.append(unit)
                state.numbers.append(number)
                if let size = state.format?.size { state.sizes.append(size) }
            }
            return offer
        }
    }

    private static func offer(_ unit: AccessUnit, _ state: inout State) -> PictureOffer {
        guard state.wantsPicture, state.format != nil else { return .notWatching }
        if state.needsKeyframe && !unit.isKeyframe { return .waitingForKeyframe }
        guard !state.isUnderWay else {
            state.needsKeyframe = true
            return .behind
        }
        state.needsKeyframe = false
        state.isUnderWay = !state.isFast
        return .sent
    }

    func beginSound(_ format: AudioStreamFormat) { state.change { $0.soundFormats.append(format) } }
    func endSound() { state.change { $0.soundEndings += 1 } }
    func offerSound(_ unit: AccessUnit, number: UInt32) { state.change { $0.sounds.append(unit) } }
}
