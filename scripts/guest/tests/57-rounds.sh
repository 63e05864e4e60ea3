# A capture is over when its program is, however that ended: the camera is free after each of many rounds.
. "$(dirname "$0")/lib.sh"

camera webcam
free=0
rounds=$(rounds 8 50)
for round in $(seq "$rounds"); do
    "$PROBE" video /dev/video0 --size 320x180 --format yuyv --seconds 60 >/dev/null 2>/run/probe.err &
    probe_id=$!
    waiting_for 5 grep -q started /run/probe.err || break
    [ $((round % 2)) = 0 ] && kill -KILL $probe_id || kill -TERM $probe_id
    wait $probe_id 2>/dev/null
    # Another size can be set only when nobody holds buffers.
    v4l2-ctl -d /dev/video0 --set-fmt-video=width=640,height=360 >/dev/null 2>&1 && free=$((free + 1))
done
check_that "$rounds captures, ended and killed in turn, leave the camera free" test $free = "$rounds"
rmmod vivid
