/// Which size a virtual camera should have.
///
/// Readers hold the size they found, so changing it is a try, made for a reason: the first picture after none, and a
/// picture that is larger on either side. A smaller one is enlarged: it may be the producer's answer to a bad link,
/// and who opens the camera meanwhile would keep that size.
///
/// A value: sizes in, wishes out.
struct CameraSizing: Sendable {
    private var lastTried: PixelSize?

    /// The size to try, or nil: stay as it is.
    ///
    /// - Parameters:
    ///   - isFirst: No picture came for a while before this one.
    mutating func wish(for picture: PixelSize, present: PixelSize, isFirst: Bool) -> PixelSize? {
        let size = picture.evened
        guard size != present, isFirst || size.width > present.width || size.height > present.height else { return nil }
        // Once is enough where readers hold it.
        guard isFirst || size != lastTried else { return nil }
        lastTried = size
        return size
    }
}
