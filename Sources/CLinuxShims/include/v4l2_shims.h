#pragma once

// What Swift does not import of <linux/videodev2.h>: macros with a cast or a call in them.

#include <linux/videodev2.h>

static const unsigned long shim_VIDIOC_QUERYCAP = VIDIOC_QUERYCAP;
static const unsigned long shim_VIDIOC_ENUM_FMT = VIDIOC_ENUM_FMT;
static const unsigned long shim_VIDIOC_ENUM_FRAMESIZES = VIDIOC_ENUM_FRAMESIZES;
static const unsigned long shim_VIDIOC_ENUM_FRAMEINTERVALS = VIDIOC_ENUM_FRAMEINTERVALS;
static const unsigned long shim_VIDIOC_G_FMT = VIDIOC_G_FMT;
static const unsigned long shim_VIDIOC_S_FMT = VIDIOC_S_FMT;
static const unsigned long shim_VIDIOC_G_PARM = VIDIOC_G_PARM;
static const unsigned long shim_VIDIOC_S_PARM = VIDIOC_S_PARM;
static const unsigned long shim_VIDIOC_G_SELECTION = VIDIOC_G_SELECTION;
static const unsigned long shim_VIDIOC_S_SELECTION = VIDIOC_S_SELECTION;
static const unsigned long shim_VIDIOC_G_CTRL = VIDIOC_G_CTRL;
static const unsigned long shim_VIDIOC_G_DV_TIMINGS = VIDIOC_G_DV_TIMINGS;
static const unsigned long shim_VIDIOC_S_DV_TIMINGS = VIDIOC_S_DV_TIMINGS;
static const unsigned long shim_VIDIOC_QUERY_DV_TIMINGS = VIDIOC_QUERY_DV_TIMINGS;
static const unsigned long shim_VIDIOC_REQBUFS = VIDIOC_REQBUFS;
static const unsigned long shim_VIDIOC_QUERYBUF = VIDIOC_QUERYBUF;
static const unsigned long shim_VIDIOC_QBUF = VIDIOC_QBUF;
static const unsigned long shim_VIDIOC_DQBUF = VIDIOC_DQBUF;
static const unsigned long shim_VIDIOC_STREAMON = VIDIOC_STREAMON;
static const unsigned long shim_VIDIOC_STREAMOFF = VIDIOC_STREAMOFF;

static const unsigned int shim_V4L2_PIX_FMT_YUYV = V4L2_PIX_FMT_YUYV;
static const unsigned int shim_V4L2_PIX_FMT_NV12 = V4L2_PIX_FMT_NV12;
static const unsigned int shim_V4L2_PIX_FMT_NV12M = V4L2_PIX_FMT_NV12M;
static const unsigned int shim_V4L2_PIX_FMT_NV21 = V4L2_PIX_FMT_NV21;
static const unsigned int shim_V4L2_PIX_FMT_NV21M = V4L2_PIX_FMT_NV21M;
static const unsigned int shim_V4L2_PIX_FMT_YUV420 = V4L2_PIX_FMT_YUV420;
static const unsigned int shim_V4L2_PIX_FMT_YVU420 = V4L2_PIX_FMT_YVU420;
static const unsigned int shim_V4L2_PIX_FMT_YUV420M = V4L2_PIX_FMT_YUV420M;
static const unsigned int shim_V4L2_PIX_FMT_YVU420M = V4L2_PIX_FMT_YVU420M;
static const unsigned int shim_V4L2_PIX_FMT_UYVY = V4L2_PIX_FMT_UYVY;
static const unsigned int shim_V4L2_PIX_FMT_RGB24 = V4L2_PIX_FMT_RGB24;
static const unsigned int shim_V4L2_PIX_FMT_BGR24 = V4L2_PIX_FMT_BGR24;
static const unsigned int shim_V4L2_PIX_FMT_GREY = V4L2_PIX_FMT_GREY;
static const unsigned int shim_V4L2_PIX_FMT_H264 = V4L2_PIX_FMT_H264;
static const unsigned int shim_V4L2_PIX_FMT_MJPEG = V4L2_PIX_FMT_MJPEG;
static const unsigned int shim_V4L2_PIX_FMT_JPEG = V4L2_PIX_FMT_JPEG;
static const unsigned int shim_V4L2_PIX_FMT_BGR32 = V4L2_PIX_FMT_BGR32;
static const unsigned int shim_V4L2_PIX_FMT_ABGR32 = V4L2_PIX_FMT_ABGR32;
static const unsigned int shim_V4L2_PIX_FMT_XBGR32 = V4L2_PIX_FMT_XBGR32;

static const unsigned int shim_V4L2_CID_CAMERA_ORIENTATION = V4L2_CID_CAMERA_ORIENTATION;
static const unsigned int shim_V4L2_CID_MIN_BUFFERS_FOR_CAPTURE = V4L2_CID_MIN_BUFFERS_FOR_CAPTURE;
