internal import Confinement
internal import DeviceCore
internal import MediaCore

/// Makes pictures of what a camera sends; broken ones are dropped and the first of each row of them is told.
final class PictureUnpacking: Sendable {
    private let onFrame: @Sendable (VideoFrame) -> Void
    private let onComplaint: @Sendable (String) -> Void
    /// On the capture's thread only, which the lock shows to the compiler.
    private let state = Locked(State())

    private struct State {
        var decoder = JPEGDecoder()
        var isBroken = false
    }

    init(onFrame: @escaping @Sendable (VideoFrame) -> Void, onComplaint: @escaping @Sendable (String) -> Void) {
        (self.onFrame, self.onComplaint) = (onFrame, onComplaint)
    }

    @Sendable func deliver(_ picture: CapturedPicture) {
        switch picture {
        case .frame(let frame): onFrame(frame)
        case .compressed(let jpeg):
            let (frame, complaint) = state.withLock { state -> (VideoFrame?, String?) in
                do throws(MediaError) {
                    let frame = try jpeg.withBytes { bytes throws(MediaError) in
                        try state.decoder.decode(bytes, at: jpeg.presentationTime)
                    }
                    state.isBroken = false
                    return (frame, nil)
                } catch {
                    defer { state.isBroken = true }
                    return (nil, state.isBroken ? nil : error.description)
                }
            }
            if let frame { onFrame(frame) }
            if let complaint { onComplaint("a picture is left out: \(complaint)") }
        }
    }
}
