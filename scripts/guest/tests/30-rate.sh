# Sizes and rates: the nearest is taken, what was got is said, and the time stamps agree with it.
. "$(dirname "$0")/lib.sh"

camera hdmi
probe video /dev/video0 --size 640x480 --fps 60 --format yuyv --seconds 2
check "an HDMI input gives its signal's rate" \
    'statedRate == 60 && signalRate > 57 && signalRate < 63 && doubtfulStamps == 0'
check "frames come soon" 'mostAge < 100 * slowness'
probe video /dev/video0 --size 640x480 --fps 30 --format yuyv --seconds 0.5
check_that "and says that it is not the one asked for" \
    says 'asked for 640x480 at 30 fps, the camera gives 640x480 yuyv at 60 fps'

camera webcam
probe video /dev/video0 --size 640x480 --fps 25 --format yuyv --seconds 2
check "a webcam gives the rate asked for" \
    'statedRate == 25 && signalRate > 24 && signalRate < 26 && note == ""'
probe video /dev/video0 --size 640x480 --fps 10 --format yuyv --seconds 2
check "also a slower one" 'statedRate == 10 && signalRate > 9 && signalRate < 11'
probe video /dev/video0 --size 800x500 --fps 60 --format nv12 --seconds 1
check "the nearest size where there is none like it" 'size == "640x480" && statedRate == 25'
check_that "and says so" says 'asked for 800x500 at 60 fps, the camera gives 640x480 nv12 at 25 fps'
rmmod vivid
