import CamoTypes
import Confinement
import Dispatch

@testable import DeviceCore

/// Runs a capture from a fake camera and keeps what it hands over.
final class CameraCapture: Sendable {
    let device: VideoCaptureDevice
    private struct Log {
        var pictures: [CapturedPicture] = []
        var losses: [DeviceError] = []
        var changes: [CaptureFormat] = []
    }
    private let log = Locked(Log())
    private let news = DispatchSemaphore(value: 0)
    private let keeps: Bool

    /// - Parameter keeps: False lets each picture go once its callback has returned.
    init(
        _ camera: FakeCamera, wish: CameraWish = CameraWish(size: PixelSize(width: 4, height: 2)), keeps: Bool = true,
        clock: (any MonotonicClock)? = nil
    ) throws {
        self.keeps = keeps
        device = try VideoCaptureDevice(
            VideoDevice(at: camera.path, nodes: FakeVideoNodes(cameras: [camera])), wish: wish,
            nodes: FakeVideoNodes(cameras: [camera]), clock: clock ?? SystemClock())
    }

    func start() throws {
        try device.start(
            onPicture: { [log, news, keeps] picture in
                if keeps { log.withLock { $0.pictures.append(picture) } }
                news.signal()
            },
            onEvent: { [log, news] event in
                log.withLock { log in
                    switch event {
                    case .lost(let error): log.losses.append(error)
                    case .changed(let format): log.changes.append(format)
                    }
                }
                news.signal()
            })
    }

    /// Waits for so many pictures and events together; false when they have not come in 5 s.
    func wait(for count: Int) -> Bool {
        (0..<count).allSatisfy { _ in news.wait(timeout: .now() + .seconds(5)) == .success }
    }

    var pictures: [CapturedPicture] { log.withLock { $0.pictures } }
    var frames: [VideoFrame] {
        pictures.compactMap { if case .frame(let frame) = $0 { frame } else { nil } }
    }
    var losses: [DeviceError] { log.withLock { $0.losses } }
    var changes: [CaptureFormat] { log.withLock { $0.changes } }
    func letGo() { log.withLock { $0.pictures = [] } }
}

/// The rows of a plane without their padding, one after the other.
func tightRows(_ frame: VideoFrame, plane: Int = 0) -> [UInt8] {
    frame.withPlanes { planes in
        (0..<planes[plane].rows).flatMap { row in
            let start = row * planes[plane].stride
            let length = frame.format.rowBytes(plane: plane, width: frame.size.width)
            return Array(planes[plane].bytes[start..<start + length])
        }
    }
}
