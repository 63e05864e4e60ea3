import CamoTypes

@testable import ProducerKit

/// A source whose pictures the test makes.
final class FakeSource: MediaSource {
    struct State: Sendable {
        var starts = 0
        var stops = 0
        var isOpen: Bool { starts > stops }
    }

    let name = "fake"
    let opensOnDemand: Bool
    let isCodedOnly: Bool
    let failure: ProducerError?
    /// What `stop` answers: whether its thread ended.
    let endsInTime: Bool
    let state = Watched(State())

    init(
        opensOnDemand: Bool = true, isCodedOnly: Bool = false, failure: ProducerError? = nil, endsInTime: Bool = true
    ) {
        (self.opensOnDemand, self.failure, self.endsInTime) = (opensOnDemand, failure, endsInTime)
        self.isCodedOnly = isCodedOnly
    }

    func start(into sink: any MediaSink) throws(ProducerError) {
        if let failure { throw failure }
        state.change { $0.starts += 1 }
    }

    func stop() -> Bool {
        state.change { state in if state.isOpen { state.stops += 1 } }
        return endsInTime
    }
}

/// Takes what a source delivers.
final class FakeSink: MediaSink {
    struct State: Sendable {
        var frames: [VideoFrame] = []
        var units: [AccessUnit] = []
        var formats: [CodedPictureFormat] = []
        var sounds: [AudioFrame] = []
        var lines: [String] = []
        var cameraChanges = 0
        var controls: [[CameraControl]] = []
        var endings: [ProducerError?] = []
    }

    let state = Watched(State())
    var now: State { state.value }

    func deliver(_ frame: VideoFrame) { state.change { $0.frames.append(frame) } }
    func deliver(_ unit: AccessUnit, format: CodedPictureFormat) {
        state.change { state in
            state.units.append(unit)
            state.formats.append(format)
        }
    }
    func deliver(_ sound: AudioFrame) { state.change { $0.sounds.append(sound) } }
    func picturesAreOutOfDate() { state.change { $0.frames = [] } }
    func cameraDidChange() {
        state.change { state in
            state.frames = []
            state.cameraChanges += 1
        }
    }
    func controlsDidChange(_ controls: [CameraControl]) { state.change { $0.controls.append(controls) } }
    func sourceDidEnd(_ error: ProducerError?) { state.change { $0.endings.append(error) } }
    func sourceDidReport(_ line: String) { state.change { $0.lines.append(line) } }
}
