import CamoTypes

/// The owner of a virtual camera: a v4l2loopback device that this process feeds, and that other programs see as a
/// webcam. Format and stream go through one open file: the device forgets its format with the last one that is closed.
///
/// Used by one thread, and never waits there: a device that takes nothing makes ``send(_:)`` return false.
package final class VirtualCamera {
    package let path: String
    /// What it takes: what was asked for, or what its readers hold it at.
    package let format: VirtualCameraFormat
    private let buffers: OutputBuffers

    /// Opens the device and starts to stream; from now on programs find a camera there.
    ///
    /// - Parameters:
    ///   - wish: Made even.
    ///   - framesPerSecond: What readers are told.
    /// - Throws: ``DeviceError``: `.notFound` with the command that makes the device, `.permissionDenied`, `.busy`,
    ///   `.notAnOutputDevice`, `.unsupported`, `.disconnected` or `.failed`.
    package init(
        at path: String, size wish: PixelSize, framesPerSecond: Int = 30,
        nodes: any VideoNodes = SystemVideoNodes(), files: any SystemFiles = MachineFiles()
    ) throws(DeviceError) {
        let node = try VirtualCameraAccess.open(path, nodes, files)
        do throws(DeviceError) {
            try node.checkTakesPictures()
            format = try node.setOutputFormat(size: wish.evened, framesPerSecond: framesPerSecond)
        } catch {
            node.close()
            throw error
        }
        buffers = try OutputBuffers(node: node, byteCount: format.byteCount)
        self.path = path
    }

    /// Whether this user may open the device at all; its state is not touched.
    package static func checkAccess(_ path: String, nodes: any VideoNodes = SystemVideoNodes()) throws(DeviceError) {
        try nodes.open(path).close()
    }

    /// Shows readers one picture.
    ///
    /// - Parameter fill: Is lent the driver's own memory, of exactly ``VirtualCameraFormat/byteCount`` bytes, and writes
    ///   all of it; what is in it is an older picture.
    /// - Returns: False when the device has no room for it now.
    /// - Throws: ``DeviceError`` when the device has gone; what `fill` throws, and then readers see nothing of it.
    package func send(_ fill: (UnsafeMutableRawBufferPointer) throws -> Void) throws -> Bool {
        try buffers.send(byteCount: format.byteCount, fill)
    }

    /// Stops and closes it; nothing may follow. Readers stay, and wait for the next writer.
    package func close() { buffers.close() }
}
