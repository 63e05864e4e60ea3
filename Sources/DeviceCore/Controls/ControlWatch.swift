internal import CLinuxShims
import CamoTypes
import Confinement
import Dispatch
import Glibc

/// Hears of every change of a camera's controls, whoever makes it: this program, another one, or the camera itself.
///
/// A thread of its own waits for V4L2_EVENT_CTRL on a handle of its own. A driver that tells no changes is watched in
/// vain, without an error.
package final class ControlWatch: Sendable {
    private let node: any VideoNode
    private let life: CaptureLife

    /// Opens the camera's node and begins.
    ///
    /// - Parameter onChange: All controls, once at the beginning and then after each change. On the watch's thread.
    /// - Throws: ``DeviceError``: the camera cannot be opened, or has gone.
    package init(
        _ device: VideoDevice, nodes: any VideoNodes = SystemVideoNodes(),
        onChange: @escaping @Sendable ([CameraControl]) -> Void
    ) throws(DeviceError) {
        life = try CaptureLife(of: device.path)
        node = try nodes.open(device.path)
        try life.start("ctl " + (device.path.split(separator: "/").last ?? "")) {
            [node, stop = life.stopSignal] outcome in
            defer { node.close() }
            var entries: [ControlEntry] = []
            do throws(DeviceError) {
                // Heard from here on, read afterwards: no change falls in between.
                for number in ControlNumber.all { node.subscribe(toControl: number) }
                entries = try node.controlEntries()
            } catch {
                return outcome.finish(error)
            }
            outcome.finish(nil)
            onChange(entries.map(\.control))
            // That the camera has gone is for its capture to tell.
            try? Self.follow(&entries, node, stop, onChange)
        }
    }

    /// Ends it and closes the handle, which would keep a camera that was pulled out from its node. Any thread.
    ///
    /// - Returns: False when the driver holds the thread after `limit`.
    @discardableResult
    package func stop(within limit: DispatchTimeInterval = .seconds(1)) -> Bool {
        life.stop(within: limit) { node.close() }
    }

    private static func follow(
        _ entries: inout [ControlEntry], _ node: any VideoNode, _ stop: StopSignal,
        _ onChange: ([CameraControl]) -> Void
    ) throws(DeviceError) {
        while !stop.isSet {
            guard node.waitForEvent(stop.wake, atMost: .seconds(Int64(3_600))) == .ready else {
                stop.wake.reset()
                continue
            }
            let changed = try node.changedControls()
            if changed.isEmpty {
                // "Ready" with nothing to tell must not keep a processor busy.
                _ = stop.wake.wait(atMost: .milliseconds(10))
                continue
            }
            for number in changed {
                guard let index = entries.firstIndex(where: { $0.number == number }),
                    let entry = try node.controlEntry(number)
                else { continue }
                // It keeps the word it has.
                let id = entries[index].control.id
                entries[index] = entry
                entries[index].control.id = id
            }
            onChange(entries.map(\.control))
        }
    }
}

extension VideoNode {
    /// VIDIOC_SUBSCRIBE_EVENT; that the camera lacks the control, or tells no changes, is no error.
    fileprivate func subscribe(toControl number: UInt32) {
        var subscription = v4l2_event_subscription()
        subscription.type = UInt32(V4L2_EVENT_CTRL)
        subscription.id = number
        _ = control(shim_VIDIOC_SUBSCRIBE_EVENT, &subscription)
    }

    /// The numbers of the controls that have changed since the last call.
    ///
    /// - Throws: ``DeviceError`` `.disconnected`.
    fileprivate func changedControls() throws(DeviceError) -> Set<UInt32> {
        var numbers: Set<UInt32> = []
        // The kernel keeps a few events a control; a driver that never runs out must not hold us.
        for _ in 0..<1_000 {
            var event = v4l2_event()
            switch control(shim_VIDIOC_DQEVENT, &event) {
            case 0: if event.type == UInt32(V4L2_EVENT_CTRL) { numbers.insert(event.id) }
            case ENOENT, EAGAIN: return numbers
            case let error: throw failure(error == EINVAL ? ENODEV : error, "the camera has gone")
            }
        }
        return numbers
    }
}
