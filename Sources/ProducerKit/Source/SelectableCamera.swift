internal import DeviceCore

/// A source that is one of this computer's cameras, and may become another one.
///
/// What is asked of it here blocks for as long as drivers take, up to seconds; one thing at a time.
protocol SelectableCamera: MediaSource {
    /// Tells when cameras come: new at each call, for one who waits.
    func news() -> any DeviceNews

    /// Those that can be used now.
    var cameras: [Camera] { get }
    var selectedCamera: Camera { get }
    /// The controls of the selected camera.
    var panel: any ControlPanel { get }

    /// Shows another camera, at the size nearest to the one that was asked for. While it delivers, the old one is shown
    /// until the new one's first picture is there; the sink hears ``MediaSink/cameraDidChange()`` then.
    ///
    /// - Throws: ``ProducerError`` when there is no such camera or it does not deliver; the old one stays.
    func select(_ id: Camera.ID) throws(ProducerError)

    /// One picture: of the stream as it is, taken after this call, while it delivers; else at the camera's best size,
    /// once its exposure has settled.
    ///
    /// - Parameter withFlash: The camera's lamp lights it.
    /// - Throws: ``ProducerError`` `notFound` where it has none, or what hindered taking it.
    func takePhoto(withFlash: Bool) throws(ProducerError) -> VideoFrame
}
