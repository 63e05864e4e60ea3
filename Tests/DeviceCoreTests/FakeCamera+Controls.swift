import CLinuxShims
import CamoTypes
import Confinement
import Glibc

@testable import DeviceCore

/// A control of a fake camera.
struct FakeControl: Sendable {
    var number: UInt32
    var name: String
    var type = V4L2_CTRL_TYPE_INTEGER
    /// Instead of `type`: one that these headers do not have.
    var rawType: UInt32?
    var range: ClosedRange<Int64> = 0...255
    var step: UInt64 = 1
    var value: Int32 = 0
    var flags: Int32 = 0
    /// By index; those that are missing are gaps.
    var menu: [UInt32: String] = [:]
    /// What VIDIOC_QUERY_EXT_CTRL says instead of describing it.
    var queryFailure: Int32?
    /// What VIDIOC_S_CTRL says.
    var setFailure: Int32?
    /// The automatic mode that sees to it: inactive unless that one's value is one of these.
    var master: (number: UInt32, manual: Set<Int32>)?
}

extension FakeCamera {
    func waitForEvent(_ wake: WakeUp, atMost limit: Microseconds) -> Readiness {
        for _ in 0..<limit.count / 1_000 {
            if state.withLock({ !$0.events.isEmpty }) { return .ready }
            if wake.wait(atMost: .milliseconds(1)) { return .woken }
        }
        return .timedOut
    }

    /// Somebody else sets a control.
    func change(_ number: UInt32, to value: Int32) {
        state.withLock { Self.set(number, to: value, &$0) }
    }

    func value(_ number: UInt32) -> Int32? {
        state.withLock { state in state.controls.first { $0.number == number }?.value }
    }

    private static func set(_ number: UInt32, to value: Int32, _ state: inout State) {
        for index in state.controls.indices where state.controls[index].number == number {
            state.controls[index].value = value
        }
        // What it is the master of changes its flags.
        let slaves = state.controls.filter { $0.master?.number == number }.map(\.number)
        state.events += ([number] + slaves).filter(state.subscriptions.contains)
    }

    private static func isInactive(_ control: FakeControl, _ state: State) -> Bool {
        guard let master = control.master, let mode = state.controls.first(where: { $0.number == master.number })
        else { return false }
        return !master.manual.contains(mode.value)
    }

    static func answerControl(
        _ request: UInt, _ argument: UnsafeMutableRawPointer, _ state: inout State
    ) -> Int32 {
        switch request {
        case shim_VIDIOC_QUERY_EXT_CTRL:
            return query(argument.assumingMemoryBound(to: v4l2_query_ext_ctrl.self), state)
        case shim_VIDIOC_QUERYMENU:
            let entry = argument.assumingMemoryBound(to: v4l2_querymenu.self)
            guard let control = state.controls.first(where: { $0.number == entry.pointee.id }),
                let name = control.menu[entry.pointee.index]
            else { return EINVAL }
            if control.type == V4L2_CTRL_TYPE_INTEGER_MENU {
                entry.pointee.value = Int64(name) ?? 0
            } else {
                withUnsafeMutableBytes(of: &entry.pointee.name) { $0.copyBytes(from: name.utf8.prefix(31)) }
            }
            return 0
        case shim_VIDIOC_G_CTRL:
            let wanted = argument.assumingMemoryBound(to: v4l2_control.self)
            guard let control = state.controls.first(where: { $0.number == wanted.pointee.id }) else { return EINVAL }
            wanted.pointee.value = control.value
            return 0
        case shim_VIDIOC_S_CTRL:
            let wanted = argument.assumingMemoryBound(to: v4l2_control.self).pointee
            guard let control = state.controls.first(where: { $0.number == wanted.id }) else { return EINVAL }
            if let failure = control.setFailure { return failure }
            set(wanted.id, to: wanted.value, &state)
            if wanted.id == RegionOfInterest.automatic { state.aimed.append(wanted.id) }
            return 0
        case shim_VIDIOC_G_EXT_CTRLS, shim_VIDIOC_S_EXT_CTRLS:
            let list = argument.assumingMemoryBound(to: v4l2_ext_controls.self).pointee
            guard let entry = list.controls?.pointee, entry.id == RegionOfInterest.rectangle,
                let value = entry.ptr?.assumingMemoryBound(to: v4l2_rect.self), let region = state.region
            else { return EINVAL }
            if request == shim_VIDIOC_G_EXT_CTRLS {
                value.pointee = list.which == shim_V4L2_CTRL_WHICH_MAX_VAL ? region.whole : region.part
            } else {
                state.region?.part = value.pointee
                state.aimed.append(entry.id)
            }
            return 0
        case shim_VIDIOC_SUBSCRIBE_EVENT:
            let subscription = argument.assumingMemoryBound(to: v4l2_event_subscription.self).pointee
            guard state.controls.contains(where: { $0.number == subscription.id }) else { return EINVAL }
            state.subscriptions.insert(subscription.id)
            return 0
        case shim_VIDIOC_DQEVENT:
            guard !state.events.isEmpty else { return ENOENT }
            let event = argument.assumingMemoryBound(to: v4l2_event.self)
            event.pointee.type = UInt32(V4L2_EVENT_CTRL)
            event.pointee.id = state.events.removeFirst()
            return 0
        default:
            return ENOTTY
        }
    }

    private static func query(_ query: UnsafeMutablePointer<v4l2_query_ext_ctrl>, _ state: State) -> Int32 {
        guard let control = state.controls.first(where: { $0.number == query.pointee.id }) else { return EINVAL }
        if let failure = control.queryFailure { return failure }
        query.pointee.type = control.rawType ?? control.type.rawValue
        query.pointee.minimum = control.range.lowerBound
        query.pointee.maximum = control.range.upperBound
        query.pointee.step = control.step
        query.pointee.default_value = control.range.lowerBound
        query.pointee.flags =
            UInt32(bitPattern: control.flags) | (isInactive(control, state) ? UInt32(V4L2_CTRL_FLAG_INACTIVE) : 0)
        withUnsafeMutableBytes(of: &query.pointee.name) { $0.copyBytes(from: control.name.utf8.prefix(31)) }
        return 0
    }
}
