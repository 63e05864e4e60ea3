internal import Confinement
internal import TransportCore

/// Pictures that come coded go on as they are: to those whose link is free, from a keyframe on.
///
/// A keyframe cannot be made here: whoever has skipped a picture waits for the source's next one.
final class CodedPassage: Sendable {
    private let definition: Definition
    private let state = Locked(State())

    private struct State {
        var viewers: [any ViewerSink] = []
        var told: [UInt64: VideoStreamFormat] = [:]
        var clock = PictureClock()
        var number: UInt32 = 0
        /// Pictures that went to somebody.
        var passed: UInt64 = 0
        var isClosed = false
    }

    init(definition: Definition) { self.definition = definition }

    func add(_ viewer: any ViewerSink) {
        state.withLock { state in
            if !state.viewers.contains(where: { $0.id == viewer.id }) { state.viewers.append(viewer) }
        }
    }

    func remove(_ viewer: any ViewerSink) {
        let wasTold = state.withLock { state in
            state.viewers.removeAll { $0.id == viewer.id }
            return state.told.removeValue(forKey: viewer.id) != nil
        }
        if wasTold { viewer.endPicture() }
    }

    /// The source's thread. True: what viewers are sent is of another size, or has begun.
    @discardableResult
    func offer(
        _ unit: AccessUnit, format: CodedPictureFormat, camera: CameraParameters? = nil, arrival: MonotonicTime
    ) -> Bool {
        let stream = VideoStreamFormat(
            size: format.size, framesPerSecond: format.framesPerSecond, color: format.color, definition: definition)
        return state.withLock { state in
            guard !state.isClosed else { return false }
            let stamp = state.clock.stamp(unit.presentationTime, arrival: arrival)
            var unit = unit
            unit.presentationTime = stamp.time
            unit.isDiscontinuity = stamp.isDiscontinuity
            let number = state.number
            state.number &+= 1
            var (isSent, isOther) = (false, false)
            for viewer in state.viewers where viewer.wantsPicture {
                if state.told[viewer.id] != stream {
                    if state.told[viewer.id]?.size != stream.size { isOther = true }
                    state.told[viewer.id] = stream
                    viewer.beginPicture(stream)
                }
                if viewer.isReadyForPicture { viewer.tellCamera(camera, since: unit.presentationTime) }
                if viewer.offerPicture(unit, number: number) == .sent { isSent = true }
            }
            if isSent { state.passed += 1 }
            return isOther
        }
    }

    /// What viewers are sent comes from elsewhere now: should it come from here again, they are told anew.
    func leaveStreams() { state.withLock { $0.told = [:] } }

    var passedCount: UInt64 { state.withLock { $0.passed } }
    var correctedTimes: UInt64 { state.withLock { UInt64($0.clock.corrections) } }

    func close() { state.withLock { $0.isClosed = true } }
}
