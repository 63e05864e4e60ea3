# Interlaced signals: television, and HDMI in 1080i. Their fields become whole frames, and that is said.
. "$(dirname "$0")/lib.sh"

control() { v4l2-ctl -d /dev/video0 -c "$1"; }

# entry CONTROL PATTERN: the number of the first entry like this in a control's menu.
entry() { v4l2-ctl -d /dev/video0 -L | awk -v name="$1" -v like="$2" '$1 == name { on = 1 } on && $0 ~ like { print $1 + 0; exit }'; }

# HDMI: a field a buffer.
camera hdmi
# 4: what the next control names.
control dv_timings_signal_mode=4
control dv_timings="$(entry dv_timings ': 1920x1080i')"
probe video /dev/video0 --size 640x480 --seconds 1
check "two fields of an HDMI signal make a frame" \
    'size == "640x480" && frames >= 4 && barError <= 4 && halved * 2 <= frames && short == 0 && isRising'
check "at the rate of frames" 'statedRate == 25 && signalRate > 20 && signalRate < 30'
check_that "and that is said" says 'interlaced'
control percentage_of_dropped_buffers=40
probe video /dev/video0 --size 640x480 --seconds 1
check "where fields are lost, their frames are of the other alone, and whole" 'halved >= 1 && frames >= halved && barError <= 4'

# Television: whole pictures, and the same taken apart in each way that V4L2 knows.
camera svideo
# In 625 lines the first carries signalling, not picture.
v4l2-ctl -d /dev/video0 --set-standard=ntsc-m >/dev/null
probe video /dev/video0 --size 640x480 --seconds 0.3
check "an interlaced picture comes whole" 'frames >= 3 && barError <= 4'
check_that "and is called so" says 'interlaced'
# No row of it is like the next.
control test_pattern="$(entry test_pattern 1x1)"
probe video /dev/video0 --size 720x480 --format yuyv --seconds 0.3 --save /run/woven
# is_put_together FORMAT FIELD: whether the last frame is the same by this `enum v4l2_field`. A slow machine's driver
# loses fields.
is_put_together() {
    probe video /dev/video0 --size 720x480 --format "$1" --field "$2" --seconds 0.3 --save /run/put-together
    cmp /run/woven /run/put-together
}
for field in 5:SEQ_TB 6:SEQ_BT 7:ALTERNATE; do
    check_that "${field#*:}: whole frames, each row in its place" waiting_for 4 is_put_together yuyv "${field%:*}"
done
probe video /dev/video0 --size 720x480 --format nv12 --seconds 0.3 --save /run/woven
check_that "ALTERNATE, two planes: each row in its place" waiting_for 4 is_put_together nv12 7
probe video /dev/video0 --format yuyv --field 2 --seconds 0.3
check "a device that gives one field alone gives its pictures" 'frames >= 2'
check_that "and that is said" says 'every other row'
rmmod vivid
