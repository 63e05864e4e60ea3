internal import CLinuxShims

/// What an encoder is told by controls of the codec class. Drivers know some of them and not others: none is demanded
/// here, and what comes out is tried before anybody relies on it.
struct EncoderControls {
    let node: any VideoNode

    /// | control | why |
    /// |---|---|
    /// | constant rate, rate control by frame | a link has a rate, not a quality |
    /// | long group of pictures, no B-frames | keyframes are asked for, and no picture waits for a later one |
    /// | header joined with the picture, repeated | whoever joins begins at any keyframe |
    func prepare(_ settings: StatefulEncoder.Settings) {
        set(shim_V4L2_CID_MPEG_VIDEO_BITRATE_MODE, Int32(V4L2_MPEG_VIDEO_BITRATE_MODE_CBR.rawValue))
        set(shim_V4L2_CID_MPEG_VIDEO_FRAME_RC_ENABLE, 1)
        setBitRate(settings.bitsPerSecond)
        set(shim_V4L2_CID_MPEG_VIDEO_B_FRAMES, 0)
        setGreatest(shim_V4L2_CID_MPEG_VIDEO_GOP_SIZE)
        setGreatest(shim_V4L2_CID_MPEG_VIDEO_H264_I_PERIOD)
        set(
            shim_V4L2_CID_MPEG_VIDEO_HEADER_MODE, Int32(V4L2_MPEG_VIDEO_HEADER_MODE_JOINED_WITH_1ST_FRAME.rawValue))
        set(shim_V4L2_CID_MPEG_VIDEO_REPEAT_SEQ_HEADER, 1)
        set(shim_V4L2_CID_MPEG_VIDEO_PREPEND_SPSPPS_TO_IDR, 1)
        set(shim_V4L2_CID_MPEG_VIDEO_H264_PROFILE, Int32(V4L2_MPEG_VIDEO_H264_PROFILE_HIGH.rawValue))
    }

    func setBitRate(_ bitsPerSecond: Int) { set(shim_V4L2_CID_MPEG_VIDEO_BITRATE, Int32(clamping: bitsPerSecond)) }

    func forceKeyframe() { set(shim_V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME, 1) }

    private func set(_ id: UInt32, _ value: Int32) {
        var control = v4l2_control()
        (control.id, control.value) = (id, value)
        _ = node.control(shim_VIDIOC_S_CTRL, &control)
    }

    private func setGreatest(_ id: UInt32) {
        var query = v4l2_queryctrl()
        query.id = id
        guard node.control(shim_VIDIOC_QUERYCTRL, &query) == 0 else { return }
        set(id, query.maximum)
    }
}
