# The camera goes while it captures: told at once, stopped at once, and usable when it is back.
. "$(dirname "$0")/lib.sh"

# ended: waits for the capture, and whether it ended within a second.
ended() {
    local began=$EPOCHREALTIME
    probe_end
    soon=$(awk -v a="$began" -v b="$EPOCHREALTIME" -v f=$slowness 'BEGIN { print (b - a < 1 * f) }')
}
driver=/sys/bus/platform/drivers/vivid

camera webcam
probe_begin video /dev/video0 --size 320x180 --format yuyv
v4l2-ctl -d /dev/video0 -c disconnect=1
ended
check "a disconnected camera is lost" \
    'lost == "disconnected" && hasStopped && frames >= 1 && stopMilliseconds < 1000'
check_that "at once" test "$soon" = 1
probe video /dev/video0 --size 320x180 --seconds 1
check "and captures again when it is back" 'frames >= 5 && lost == ""'

probe_begin video /dev/video0 --size 320x180 --format yuyv
echo vivid.0 > $driver/unbind
ended
check "a camera whose driver lets go of it is lost" 'lost == "disconnected" && hasStopped && frames >= 1'
check_that "at once" test "$soon" = 1
probe video /dev/video0
check "an unplugged camera is absent" 'error == "notFound"'
echo vivid.0 > $driver/bind
waiting_for 5 test -e /dev/video0
probe video /dev/video0 --size 320x180 --seconds 1
check "and captures again when it is back" 'frames >= 5 && lost == ""'
rmmod vivid
