#pragma once

// Of <linux/v4l2-controls.h>: what encoders are told by.

#include <linux/videodev2.h>

static const unsigned long shim_VIDIOC_QUERYCTRL = VIDIOC_QUERYCTRL;
static const unsigned long shim_VIDIOC_ENCODER_CMD = VIDIOC_ENCODER_CMD;

static const unsigned int shim_V4L2_CID_MPEG_VIDEO_BITRATE_MODE = V4L2_CID_MPEG_VIDEO_BITRATE_MODE;
static const unsigned int shim_V4L2_CID_MPEG_VIDEO_BITRATE = V4L2_CID_MPEG_VIDEO_BITRATE;
static const unsigned int shim_V4L2_CID_MPEG_VIDEO_FRAME_RC_ENABLE = V4L2_CID_MPEG_VIDEO_FRAME_RC_ENABLE;
static const unsigned int shim_V4L2_CID_MPEG_VIDEO_B_FRAMES = V4L2_CID_MPEG_VIDEO_B_FRAMES;
static const unsigned int shim_V4L2_CID_MPEG_VIDEO_GOP_SIZE = V4L2_CID_MPEG_VIDEO_GOP_SIZE;
static const unsigned int shim_V4L2_CID_MPEG_VIDEO_H264_I_PERIOD = V4L2_CID_MPEG_VIDEO_H264_I_PERIOD;
static const unsigned int shim_V4L2_CID_MPEG_VIDEO_H264_PROFILE = V4L2_CID_MPEG_VIDEO_H264_PROFILE;
static const unsigned int shim_V4L2_CID_MPEG_VIDEO_HEADER_MODE = V4L2_CID_MPEG_VIDEO_HEADER_MODE;
static const unsigned int shim_V4L2_CID_MPEG_VIDEO_REPEAT_SEQ_HEADER = V4L2_CID_MPEG_VIDEO_REPEAT_SEQ_HEADER;
static const unsigned int shim_V4L2_CID_MPEG_VIDEO_PREPEND_SPSPPS_TO_IDR = V4L2_CID_MPEG_VIDEO_PREPEND_SPSPPS_TO_IDR;
static const unsigned int shim_V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME = V4L2_CID_MPEG_VIDEO_FORCE_KEY_FRAME;
