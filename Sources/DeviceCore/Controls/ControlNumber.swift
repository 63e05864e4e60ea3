internal import CLinuxShims

/// A control's number in V4L2 (V4L2_CID_…), of those that are a camera's and mean something to people.
///
/// Left out of the V4L2 manual's user, camera and flash classes: sound, what a driver keeps for itself, what changes the
/// layout of buffers, and relative movements, which have no value that could be shown.
enum ControlNumber {
    static let all: [UInt32] = [
        shim_V4L2_CID_BRIGHTNESS, shim_V4L2_CID_AUTOBRIGHTNESS, shim_V4L2_CID_CONTRAST, shim_V4L2_CID_SATURATION,
        shim_V4L2_CID_HUE, shim_V4L2_CID_HUE_AUTO, shim_V4L2_CID_GAMMA, shim_V4L2_CID_SHARPNESS,
        shim_V4L2_CID_BACKLIGHT_COMPENSATION, shim_V4L2_CID_POWER_LINE_FREQUENCY, shim_V4L2_CID_COLORFX,
        shim_V4L2_CID_HFLIP, shim_V4L2_CID_VFLIP,

        shim_V4L2_CID_AUTO_WHITE_BALANCE, shim_V4L2_CID_AUTO_N_PRESET_WHITE_BALANCE, shim_V4L2_CID_DO_WHITE_BALANCE,
        shim_V4L2_CID_WHITE_BALANCE_TEMPERATURE, shim_V4L2_CID_RED_BALANCE, shim_V4L2_CID_BLUE_BALANCE,

        shim_V4L2_CID_EXPOSURE_AUTO, shim_V4L2_CID_EXPOSURE_AUTO_PRIORITY, shim_V4L2_CID_EXPOSURE_ABSOLUTE,
        shim_V4L2_CID_EXPOSURE, shim_V4L2_CID_AUTO_EXPOSURE_BIAS, shim_V4L2_CID_EXPOSURE_METERING,
        shim_V4L2_CID_IRIS_ABSOLUTE, shim_V4L2_CID_AUTOGAIN, shim_V4L2_CID_GAIN, shim_V4L2_CID_ISO_SENSITIVITY_AUTO,
        shim_V4L2_CID_ISO_SENSITIVITY, shim_V4L2_CID_WIDE_DYNAMIC_RANGE, shim_V4L2_CID_SCENE_MODE,

        shim_V4L2_CID_FOCUS_AUTO, shim_V4L2_CID_AUTO_FOCUS_START, shim_V4L2_CID_AUTO_FOCUS_STOP,
        shim_V4L2_CID_AUTO_FOCUS_RANGE, shim_V4L2_CID_FOCUS_ABSOLUTE,

        shim_V4L2_CID_ZOOM_ABSOLUTE, shim_V4L2_CID_PAN_ABSOLUTE, shim_V4L2_CID_TILT_ABSOLUTE,
        shim_V4L2_CID_PAN_RESET, shim_V4L2_CID_TILT_RESET, shim_V4L2_CID_IMAGE_STABILIZATION, shim_V4L2_CID_PRIVACY,

        shim_V4L2_CID_FLASH_LED_MODE, shim_V4L2_CID_FLASH_STROBE, shim_V4L2_CID_FLASH_INTENSITY,
        shim_V4L2_CID_FLASH_TORCH_INTENSITY,
    ]

    /// The automatic mode that sees to a control, and the values of it with which the control is set by hand, the best
    /// first.
    struct AutomaticMode {
        var number: UInt32
        var manualValues: [Int64]
    }

    /// The modes that may stand in the way of setting `number` by hand. A camera may have several of them or none.
    static func automaticModes(of number: UInt32) -> [AutomaticMode] {
        let off = [Int64(0)]
        let manualExposure = Int64(V4L2_EXPOSURE_MANUAL.rawValue)
        switch number {
        case shim_V4L2_CID_EXPOSURE_ABSOLUTE, shim_V4L2_CID_EXPOSURE:
            // Shutter priority: the time by hand, the iris by the camera.
            let shutterPriority = Int64(V4L2_EXPOSURE_SHUTTER_PRIORITY.rawValue)
            return [
                AutomaticMode(number: shim_V4L2_CID_EXPOSURE_AUTO, manualValues: [manualExposure, shutterPriority])
            ]
        case shim_V4L2_CID_IRIS_ABSOLUTE:
            let aperturePriority = Int64(V4L2_EXPOSURE_APERTURE_PRIORITY.rawValue)
            return [
                AutomaticMode(number: shim_V4L2_CID_EXPOSURE_AUTO, manualValues: [manualExposure, aperturePriority])
            ]
        case shim_V4L2_CID_GAIN: return [AutomaticMode(number: shim_V4L2_CID_AUTOGAIN, manualValues: off)]
        case shim_V4L2_CID_ISO_SENSITIVITY:
            return [AutomaticMode(number: shim_V4L2_CID_ISO_SENSITIVITY_AUTO, manualValues: off)]
        case shim_V4L2_CID_FOCUS_ABSOLUTE:
            return [AutomaticMode(number: shim_V4L2_CID_FOCUS_AUTO, manualValues: off)]
        case shim_V4L2_CID_WHITE_BALANCE_TEMPERATURE, shim_V4L2_CID_RED_BALANCE, shim_V4L2_CID_BLUE_BALANCE:
            return [
                AutomaticMode(number: shim_V4L2_CID_AUTO_WHITE_BALANCE, manualValues: off),
                AutomaticMode(number: shim_V4L2_CID_AUTO_N_PRESET_WHITE_BALANCE, manualValues: off),
            ]
        case shim_V4L2_CID_HUE: return [AutomaticMode(number: shim_V4L2_CID_HUE_AUTO, manualValues: off)]
        case shim_V4L2_CID_BRIGHTNESS:
            return [AutomaticMode(number: shim_V4L2_CID_AUTOBRIGHTNESS, manualValues: off)]
        default: return []
        }
    }
}
