internal import DeviceCore

/// An open camera that takes pictures. Tests put one of their own behind it.
protocol WritableCamera {
    var format: VirtualCameraFormat { get }
    /// Lends the memory of one picture; false when there is no room for it.
    func send(_ fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws -> Bool
    func close()
}

extension VirtualCamera: WritableCamera {}

/// The camera that is wanted, and how it is opened.
struct VirtualCameraDevice: Sendable {
    var path: String
    /// Until the first picture.
    var size: PixelSize
    /// With the size that is wished for; its format says which one it has.
    var open: @Sendable (PixelSize) throws(DeviceError) -> any WritableCamera

    init(path: String, size: PixelSize, open: @escaping @Sendable (PixelSize) throws(DeviceError) -> any WritableCamera)
    {
        self.path = path
        self.size = size
        self.open = open
    }

    /// A node of this machine.
    init(path: String, size: PixelSize) {
        self.init(path: path, size: size) { size throws(DeviceError) in try VirtualCamera(at: path, size: size) }
    }
}
