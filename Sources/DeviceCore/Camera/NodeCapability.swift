internal import CLinuxShims

extension v4l2_capability {
    /// What this very node can do, where the driver says so; else what all nodes of the device can
    /// (ioctl VIDIOC_QUERYCAP, `V4L2_CAP_DEVICE_CAPS`).
    var ownFlags: UInt32 { capabilities & UInt32(V4L2_CAP_DEVICE_CAPS) != 0 ? device_caps : capabilities }
}
