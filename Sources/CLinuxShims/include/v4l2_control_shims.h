#pragma once

// Controls of cameras: what Swift does not import of <linux/videodev2.h> and <linux/v4l2-controls.h>.

#include <linux/videodev2.h>

static const unsigned long shim_VIDIOC_QUERY_EXT_CTRL = VIDIOC_QUERY_EXT_CTRL;
static const unsigned long shim_VIDIOC_QUERYMENU = VIDIOC_QUERYMENU;
static const unsigned long shim_VIDIOC_G_EXT_CTRLS = VIDIOC_G_EXT_CTRLS;
static const unsigned long shim_VIDIOC_S_EXT_CTRLS = VIDIOC_S_EXT_CTRLS;
static const unsigned long shim_VIDIOC_S_CTRL = VIDIOC_S_CTRL;
static const unsigned long shim_VIDIOC_SUBSCRIBE_EVENT = VIDIOC_SUBSCRIBE_EVENT;
static const unsigned long shim_VIDIOC_DQEVENT = VIDIOC_DQEVENT;

static const unsigned int shim_V4L2_CID_BRIGHTNESS = V4L2_CID_BRIGHTNESS;
static const unsigned int shim_V4L2_CID_AUTOBRIGHTNESS = V4L2_CID_AUTOBRIGHTNESS;
static const unsigned int shim_V4L2_CID_CONTRAST = V4L2_CID_CONTRAST;
static const unsigned int shim_V4L2_CID_SATURATION = V4L2_CID_SATURATION;
static const unsigned int shim_V4L2_CID_HUE = V4L2_CID_HUE;
static const unsigned int shim_V4L2_CID_HUE_AUTO = V4L2_CID_HUE_AUTO;
static const unsigned int shim_V4L2_CID_GAMMA = V4L2_CID_GAMMA;
static const unsigned int shim_V4L2_CID_SHARPNESS = V4L2_CID_SHARPNESS;
static const unsigned int shim_V4L2_CID_BACKLIGHT_COMPENSATION = V4L2_CID_BACKLIGHT_COMPENSATION;
static const unsigned int shim_V4L2_CID_POWER_LINE_FREQUENCY = V4L2_CID_POWER_LINE_FREQUENCY;
static const unsigned int shim_V4L2_CID_COLORFX = V4L2_CID_COLORFX;
static const unsigned int shim_V4L2_CID_HFLIP = V4L2_CID_HFLIP;
static const unsigned int shim_V4L2_CID_VFLIP = V4L2_CID_VFLIP;

static const unsigned int shim_V4L2_CID_AUTO_WHITE_BALANCE = V4L2_CID_AUTO_WHITE_BALANCE;
static const unsigned int shim_V4L2_CID_AUTO_N_PRESET_WHITE_BALANCE = V4L2_CID_AUTO_N_PRESET_WHITE_BALANCE;
static const unsigned int shim_V4L2_CID_DO_WHITE_BALANCE = V4L2_CID_DO_WHITE_BALANCE;
static const unsigned int shim_V4L2_CID_WHITE_BALANCE_TEMPERATURE = V4L2_CID_WHITE_BALANCE_TEMPERATURE;
static const unsigned int shim_V4L2_CID_RED_BALANCE = V4L2_CID_RED_BALANCE;
static const unsigned int shim_V4L2_CID_BLUE_BALANCE = V4L2_CID_BLUE_BALANCE;

static const unsigned int shim_V4L2_CID_EXPOSURE_AUTO = V4L2_CID_EXPOSURE_AUTO;
static const unsigned int shim_V4L2_CID_EXPOSURE_AUTO_PRIORITY = V4L2_CID_EXPOSURE_AUTO_PRIORITY;
static const unsigned int shim_V4L2_CID_EXPOSURE_ABSOLUTE = V4L2_CID_EXPOSURE_ABSOLUTE;
static const unsigned int shim_V4L2_CID_EXPOSURE = V4L2_CID_EXPOSURE;
static const unsigned int shim_V4L2_CID_AUTO_EXPOSURE_BIAS = V4L2_CID_AUTO_EXPOSURE_BIAS;
static const unsigned int shim_V4L2_CID_EXPOSURE_METERING = V4L2_CID_EXPOSURE_METERING;
static const unsigned int shim_V4L2_CID_IRIS_ABSOLUTE = V4L2_CID_IRIS_ABSOLUTE;
static const unsigned int shim_V4L2_CID_AUTOGAIN = V4L2_CID_AUTOGAIN;
static const unsigned int shim_V4L2_CID_GAIN = V4L2_CID_GAIN;
static const unsigned int shim_V4L2_CID_ISO_SENSITIVITY_AUTO = V4L2_CID_ISO_SENSITIVITY_AUTO;
static const unsigned int shim_V4L2_CID_ISO_SENSITIVITY = V4L2_CID_ISO_SENSITIVITY;
static const unsigned int shim_V4L2_CID_WIDE_DYNAMIC_RANGE = V4L2_CID_WIDE_DYNAMIC_RANGE;
static const unsigned int shim_V4L2_CID_SCENE_MODE = V4L2_CID_SCENE_MODE;

static const unsigned int shim_V4L2_CID_FOCUS_AUTO = V4L2_CID_FOCUS_AUTO;
static const unsigned int shim_V4L2_CID_AUTO_FOCUS_START = V4L2_CID_AUTO_FOCUS_START;
static const unsigned int shim_V4L2_CID_AUTO_FOCUS_STOP = V4L2_CID_AUTO_FOCUS_STOP;
static const unsigned int shim_V4L2_CID_AUTO_FOCUS_RANGE = V4L2_CID_AUTO_FOCUS_RANGE;
static const unsigned int shim_V4L2_CID_FOCUS_ABSOLUTE = V4L2_CID_FOCUS_ABSOLUTE;

static const unsigned int shim_V4L2_CID_ZOOM_ABSOLUTE = V4L2_CID_ZOOM_ABSOLUTE;
static const unsigned int shim_V4L2_CID_PAN_ABSOLUTE = V4L2_CID_PAN_ABSOLUTE;
static const unsigned int shim_V4L2_CID_TILT_ABSOLUTE = V4L2_CID_TILT_ABSOLUTE;
static const unsigned int shim_V4L2_CID_PAN_RESET = V4L2_CID_PAN_RESET;
static const unsigned int shim_V4L2_CID_TILT_RESET = V4L2_CID_TILT_RESET;
static const unsigned int shim_V4L2_CID_IMAGE_STABILIZATION = V4L2_CID_IMAGE_STABILIZATION;
static const unsigned int shim_V4L2_CID_PRIVACY = V4L2_CID_PRIVACY;

static const unsigned int shim_V4L2_CID_FLASH_LED_MODE = V4L2_CID_FLASH_LED_MODE;
static const unsigned int shim_V4L2_CID_FLASH_STROBE = V4L2_CID_FLASH_STROBE;
static const unsigned int shim_V4L2_CID_FLASH_INTENSITY = V4L2_CID_FLASH_INTENSITY;
static const unsigned int shim_V4L2_CID_FLASH_TORCH_INTENSITY = V4L2_CID_FLASH_TORCH_INTENSITY;

// Newer than Debian 12's headers: the greatest values of controls.
static const unsigned int shim_V4L2_CTRL_WHICH_MAX_VAL = 0x0f030000;

// A control whose value lies elsewhere. The structure is packed, and its value a union without a name.
static inline void shim_v4l2_payload(struct v4l2_ext_control *control, unsigned id, void *value, unsigned size) {
    control->id = id;
    control->size = size;
    control->ptr = value;
}

// A list of controls for VIDIOC_G_EXT_CTRLS and VIDIOC_S_EXT_CTRLS.
static inline void shim_v4l2_list(struct v4l2_ext_controls *list, unsigned which, struct v4l2_ext_control *controls,
    unsigned count) {
    list->which = which;
    list->count = count;
    list->controls = controls;
}
