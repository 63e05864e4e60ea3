internal import MediaCore

/// Which of the pictures that a camera sends after it was opened becomes the photo. A value: pictures in, decisions out.
///
/// Cameras need some pictures to find their exposure, and many begin with black ones. It has settled when a few
/// pictures in a row are equally light, and not black. Until then the newest that is not black is kept, for a camera
/// that never settles or stops.
struct PhotoChoice: Sendable {
    /// Pictures in a row that have to agree.
    static let steadyCount = 3
    /// Steps of luma by which they may differ: noise, a little.
    static let tolerance = 2

    enum Decision: Hashable, Sendable {
        /// This is it.
        case take
        /// The best so far.
        case keep
        case passOver
    }

    private var recent: [PictureLight] = []
    private var hasLight = false

    mutating func consider(_ light: PictureLight) -> Decision {
        guard !light.isBlack else {
            recent = []
            return hasLight ? .passOver : .keep
        }
        hasLight = true
        recent = recent.suffix(Self.steadyCount - 1) + [light]
        let means = recent.map(\.mean)
        guard recent.count == Self.steadyCount, let least = means.min(), let most = means.max(),
            most - least <= Self.tolerance
        else { return .keep }
        return .take
    }
}
