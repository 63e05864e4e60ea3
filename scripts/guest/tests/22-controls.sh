# What can be set on a camera: a webcam's controls, set by hand and watched, beside a capture that goes on.
. "$(dirname "$0")/lib.sh"

# controls ARGUMENT…: what camo-producer says of the camera's controls; its output is in $result.
controls() {
    result=$(within 10 "$BUILT/camo-producer" controls "$@" 2>&1)
    status=$?
}

# has NAME: what the kernel says the control is.
has() { v4l2-ctl -d /dev/video0 -C "$1" | sed 's/^[^:]*: *//; s/ .*//'; }

# shines LEVEL: the lamp does, so brightly.
shines() { test "$(has led_mode) $(has intensity_torch_mode)" = "2 $1"; }

rmmod vivid 2>/dev/null
if ! modprobe vivid-camera n_devs=1 node_types=0x1 num_inputs=1 input_types=0x0; then
    echo "not ok - there is no vivid-camera; setup --camera-controls builds it"
    exit 0
fi

controls
check_that "a webcam's controls are listed by their words" \
    says '^brightness = 128; 0 to 255, default 128$'
check_that "with menus" says '^auto_exposure = Aperture Priority Mode; 1 \(Manual Mode\), 3 \(Aperture Priority Mode\)'
check_that "and what holds them" says '^exposure_time_absolute = 250; .*inactive: another control sees to it'
check_that "but not what is no camera's" test "$(grep -cE 'volume|mute|osd_text_mode' <<<"$result")" = 0

controls exposure_time_absolute=500 focus_absolute=50 white_balance_temperature=3000
check_that "values are set by hand" test $status = 0 -a "$(has exposure_time_absolute)" = 500 \
    -a "$(has focus_absolute)" = 50 -a "$(has white_balance_temperature)" = 3000
check_that "after their automatic modes were switched off" test "$(has auto_exposure)" = 1 \
    -a "$(has focus_automatic_continuous)" = 0 -a "$(has white_balance_automatic)" = 0
controls focus_automatic_continuous=on
check_that "and automatic again by name" test "$(has focus_automatic_continuous)" = 1

controls zoom_absolute=501
check_that "a value out of range is refused with the range" test $status = 64
check_that "in words" says "zoom_absolute takes 100 to 500, not '501'"
controls pan_absolute=1
check_that "a control that the camera lacks is refused by name" test $status = 66
check_that "with those there are" says 'no control pan_absolute; it has brightness, .*zoom_absolute'

controls torch=30
check_that "the lamp is set by one word" test $status = 0 -a "$(has led_mode)" = 2 \
    -a "$(has intensity_torch_mode)" = 3
controls torch=off
check_that "and switched off" test "$(has led_mode)" = 0
"$BUILT/camo-producer" photo /run/lit.png --flash > /run/photo.out 2>&1 &
photo=$!
check_that "it shines for a photo, as bright as it can" waiting_for 10 shines 10
wait $photo
check_that "which is taken, and then it is as it was" test $? = 0 -a -s /run/lit.png \
    -a "$(has led_mode) $(has intensity_torch_mode)" = "0 3"

probe_begin video /dev/video0 --size 320x180 --format yuyv
controls brightness=200
check_that "they are set while another program captures" test $status = 0 -a "$(has brightness)" = 200
probe_end TERM
check "which goes on" 'frames >= 5 && lost == ""'
rmmod vivid
