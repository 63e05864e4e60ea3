# The signal at an HDMI input changes, goes, and comes back, while it is captured.
. "$(dirname "$0")/lib.sh"

control() { v4l2-ctl -d /dev/video0 -c "$1"; }

# timings SIZE: the number of the timings of this size in the menu of what may be at vivid's input.
timings() { v4l2-ctl -d /dev/video0 -L | awk -v size="$1" '/dv_timings / { on = 1 } on && $2 ~ "^" size "p" { print $1 + 0; exit }'; }

camera hdmi
# 4: what the next control names; 0: what the input is set to.
control dv_timings_signal_mode=4
control dv_timings="$(timings 640x480)"

probe_begin video /dev/video0 --size 1280x720 --fps 60
control dv_timings="$(timings 720x576)"
sleep 1
probe_end TERM
check "the size is the signal's" 'size == "640x480"'
check "another signal is followed, and its pictures are whole" \
    'changes1 == "720x576" && frames >= 4 && barError <= 4 && lost == "" && hasStopped'

probe_begin video /dev/video0 --size 1280x720 --fps 60
# No signal.
control dv_timings_signal_mode=1
probe_end
check "a signal that goes is a loss" 'lost == "stalled" && hasStopped && frames >= 1'
probe video /dev/video0 --seconds 1
check "and there is nothing to open" 'error == "stalled"'
check_that "which is said" says 'no signal at its input'
control dv_timings_signal_mode=4
probe video /dev/video0 --size 640x480 --fps 60 --seconds 0.5
check "until it is back" 'frames >= 3 && barError <= 4'
rmmod vivid
