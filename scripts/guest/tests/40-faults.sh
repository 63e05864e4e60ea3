# What drivers do wrong, and a consumer that is slow.
. "$(dirname "$0")/lib.sh"

control() { v4l2-ctl -d /dev/video0 -c "$1"; }

camera hdmi
# Few bytes, so that the emulated processor keeps up with all frames.
small="video /dev/video0 --size 320x240 --fps 60 --format yuyv"

probe $small --hold 5 --seconds 1
check "a slow consumer gets copies, and nothing that changes under its hands" \
    'copied > 2 && frames >= 10 && barError <= 4'

probe_begin $small
control inject_v4l2_buf_flag_error=1
sleep 1
probe_end TERM
check "a buffer with the error flag is counted, and capture goes on" \
    'damaged >= 1 && frames >= 20 && barError <= 4 && lost == "" && hasStopped'

control percentage_of_dropped_buffers=50
probe $small --seconds 1
check "pictures that the driver drops are counted" 'missed >= 5 && frames >= 5 && lost == ""'
control percentage_of_dropped_buffers=0

control wrap_timestamp=1
probe $small --seconds 1
check "stamps of another age are not believed" 'isRising && doubtfulStamps > 0 && frames >= 10 && mostAge < 100 * slowness'
control wrap_timestamp=0

probe_begin $small
control inject_fatal_streaming_error=1
probe_end
check "a fatal error is a loss" 'lost == "disconnected" && hasStopped && frames >= 1'

control inject_vidioc_streamon_error=1
probe $small --seconds 1
check "a camera that does not start says so" 'error == "failed"'
probe $small --seconds 1
check "and starts the next time" 'frames >= 10 && lost == ""'
rmmod vivid
