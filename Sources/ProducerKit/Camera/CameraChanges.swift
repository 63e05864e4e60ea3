internal import Confinement
internal import DeviceCore

/// Says when cameras may have come, changed or gone, from a thread of its own.
final class CameraChanges: Sendable {
    /// The node of a camera is made first, and given to its group a moment later: both are one change.
    private static let settling = Microseconds.milliseconds(200)

    private let wake: WakeUp

    /// Nil when the process has no descriptors or threads left: changes are then seen when somebody looks.
    init?(_ news: any DeviceNews, onChange: @escaping @Sendable () -> Void) {
        guard news.tellsArrivals, let wake = WakeUp() else { return nil }
        self.wake = wake
        let thread = try? CaptureThread("cameras", for: "/dev") {
            while true {
                switch news.wait(wake, atMost: .seconds(Int64(3_600))) {
                case .woken: return
                case .timedOut: continue
                case .ready:
                    while news.wait(wake, atMost: Self.settling) == .ready {}
                    onChange()
                }
            }
        }
        guard thread != nil else { return nil }
    }

    /// Ends by itself when it is let go.
    deinit { wake.signal() }
}
