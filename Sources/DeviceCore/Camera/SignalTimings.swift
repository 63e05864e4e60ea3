internal import CLinuxShims
import CamoTypes
import Glibc

extension VideoNode {
    /// Takes over the timings of the signal at a digital input (HDMI), which the driver detects but does not adopt by
    /// itself (the V4L2 manual, "Digital Video (DV) Timings"). No buffers may be allocated.
    ///
    /// - Returns: The size of the signal's pictures; nil at a node without such an input.
    /// - Throws: ``DeviceError`` `.stalled` when there is no signal, or none that the device can follow.
    func followSignal() throws(DeviceError) -> PixelSize? {
        var signal = v4l2_dv_timings()
        let error = control(shim_VIDIOC_QUERY_DV_TIMINGS, &signal)
        switch error {
        case 0: break
        case ENOLINK, ENOLCK:
            throw DeviceError(
                .stalled, device: path, systemError: error, "no signal at its input; check the cable and its other end")
        case ERANGE:
            throw DeviceError(
                .stalled, device: path, systemError: error,
                "cannot follow the signal at its input; choose another size or rate at its other end")
        // ENOTTY, ENODATA, EINVAL: a camera, or an input of another kind.
        default: return nil
        }
        let size = PixelSize(width: Int(signal.bt.width), height: Int(signal.bt.height))
        var present = v4l2_dv_timings()
        if control(shim_VIDIOC_G_DV_TIMINGS, &present) != 0 || !signal.bt.isAlike(present.bt) {
            let error = control(shim_VIDIOC_S_DV_TIMINGS, &signal)
            guard error == 0 else { throw failure(error, "the timings of its signal (\(size)) were refused") }
        }
        return size.isWithinLimits ? size : nil
    }

    /// Asks to be told when the signal changes. A camera refuses, and never does.
    ///
    /// - Returns: Whether it will be told.
    func subscribeToSourceChanges() -> Bool {
        var subscription = v4l2_event_subscription()
        subscription.type = UInt32(V4L2_EVENT_SOURCE_CHANGE)
        return control(shim_VIDIOC_SUBSCRIBE_EVENT, &subscription) == 0
    }

    /// Takes all events that wait; whether one of them says that the signal has changed, and it has. Setting timings
    /// makes some drivers say so too.
    func takeSourceChange() -> Bool {
        var hasChanged = false
        // A driver that never runs dry must not hold us.
        for _ in 0..<100 {
            var event = v4l2_event()
            guard control(shim_VIDIOC_DQEVENT, &event) == 0 else { break }
            if event.type == UInt32(V4L2_EVENT_SOURCE_CHANGE) { hasChanged = true }
        }
        return hasChanged && !isSignalAlike
    }

    /// The signal is what the driver is set to.
    private var isSignalAlike: Bool {
        var (signal, present) = (v4l2_dv_timings(), v4l2_dv_timings())
        return control(shim_VIDIOC_QUERY_DV_TIMINGS, &signal) == 0
            && control(shim_VIDIOC_G_DV_TIMINGS, &present) == 0 && signal.bt.isAlike(present.bt)
    }
}

extension v4l2_bt_timings {
    /// Whether a receiver that is set to one follows the other: what the picture and its rate are made of.
    fileprivate func isAlike(_ other: v4l2_bt_timings) -> Bool {
        width == other.width && height == other.height && interlaced == other.interlaced
            && pixelclock == other.pixelclock && hfrontporch == other.hfrontporch && hsync == other.hsync
            && hbackporch == other.hbackporch && vfrontporch == other.vfrontporch && vsync == other.vsync
            && vbackporch == other.vbackporch
    }
}
