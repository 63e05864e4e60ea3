# The studio as a webcam: v4l2loopback, with readers that stay while the producer and the studio come and go.
. "$(dirname "$0")/lib.sh"

folder=/run/virtual
node=/dev/video9

loopback() {
    rmmod v4l2loopback 2>/dev/null
    modprobe v4l2loopback video_nr=9 card_label=Camo "$@"
}

# capture COUNT: so many pictures as a reader gets them, in $folder/pictures.
capture() {
    rm -f $folder/pictures
    within 10 v4l2-ctl -d $node --stream-mmap --stream-count="$1" --stream-to=$folder/pictures >/dev/null 2>&1
}
is_camera() { v4l2-ctl -d $node --info 2>/dev/null | sed '1,/Device Caps/d' | grep -q 'Video Capture'; }
# sized WxH: whether the camera has that size for its readers, in YUYV.
sized() { v4l2-ctl -d $node --get-fmt-video 2>/dev/null | tr -d ' \t\n' | grep -q "Width/Height:${1/x//}PixelFormat:'YUYV'"; }

paired

produce() { # SIZE
    begin producer --test-pattern --size "$1" --fps 5 --sound off --port 5700 --no-advertise
    producer=$!
}
watch() {
    begin studio --v4l2 $node --connect 127.0.0.1:5700
    studio=$!
}
rmmod v4l2loopback 2>/dev/null
result=$("$BUILT/camo-studio" --v4l2 $node --connect 127.0.0.1:5700 --state-dir $folder/studio.state 2>&1)
check_that "without the module the command ends" test $? = 66
check_that "and says how to load it" says "sudo modprobe v4l2loopback exclusive_caps=1 card_label=Camo video_nr=9"

# doctor: what it says of the virtual camera to a user without any rights.
doctor() {
    result=$(setpriv --reuid 65534 --regid 65534 --clear-groups "$BUILT/camo-studio" doctor --json \
        --state-dir /nonexistent/camo 2>&1)
    status=$?
    result=$(grep '"name":"virtualCamera"' <<<"$result")
}
doctor
check "doctor misses the module" 'outcome == "missing"'
check_that "and says how to load it" says 'sudo modprobe v4l2loopback exclusive_caps=1 card_label=Camo video_nr=9'

for exclusive in 0 1; do
    loopback exclusive_caps=$exclusive
    chmod 0666 $node
    doctor
    if [ $exclusive = 0 ]; then
        check_that "doctor says why Chrome does not list the camera" says 'without exclusive_caps=1.*modprobe -r v4l2loopback'
    else
        check "doctor is content with the module" 'outcome == "ok"'
    fi
    watch
    waiting_for 10 is_camera
    waiting_for 10 sized 1280x720
    capture 2
    check_that "exclusive_caps=$exclusive: readers find a waiting camera before the producer is there" \
        test "$(stat -c %s $folder/pictures)" = $((1280 * 720 * 2 * 2))
    if [ $exclusive = 1 ]; then
        result=$("$BUILT/camo-studio" --v4l2 $node --connect 127.0.0.1:5700 --state-dir $folder/studio.state 2>&1)
        check_that "a second one is told who feeds it" test $? = 75
        check_that "by name" says "camo-studio \($studio\)"
    fi
    produce 320x180
    waiting_for 20 sized 320x180
    check_that "exclusive_caps=$exclusive: nobody reads, so the camera takes the picture's size" sized 320x180
    capture 3
    check_that "exclusive_caps=$exclusive: pictures are whole" \
        test "$(stat -c %s $folder/pictures)" = $((320 * 180 * 2 * 3))
    end $studio
    check_that "exclusive_caps=$exclusive: it ends in time" test $status = 0 -a $took -lt $((1000 * slowness))
    end $producer
done

# A reader that never leaves: its pictures are of one size, and it is not to end. The only one: when one of two readers
# leaves, v4l2loopback 0.12 gives the other an error. What it sees is in last.pgm.
watch
waiting_for 10 is_camera
produce 320x180
waiting_for 20 sized 320x180
ffmpeg -v error -nostats -progress $folder/progress -f v4l2 -i $node -fps_mode passthrough \
    -f image2 -update 1 -atomic_writing 1 -c:v pgm -y $folder/last.pgm 2> $folder/ffmpeg < /dev/null &
reader=$!
read_count() { sed -n 's/^frame=//p' $folder/progress 2>/dev/null | tail -n 1; }
# reads_on: whether the reader gets more pictures than it had.
reads_on() {
    local before
    before=$(read_count)
    kill -0 $reader 2>/dev/null && waiting_for 6 more_than "${before:-0}"
}
more_than() { [ "$(read_count || echo 0)" -gt "$1" ] 2>/dev/null; }
waiting_for 20 more_than 0
check_that "ffmpeg reads" reads_on

end $producer KILL
check_that "the producer is killed: the reader goes on" reads_on
produce 180x320
waiting_for 20 told studio '"connected"' 2
check_that "it is back with another size: the reader goes on" reads_on
check_that "and the camera keeps its size" sized 320x180
# luma COLUMN: of the picture that was read last, in the middle of its height.
luma() { tail -c $((320 * 180)) $folder/last.pgm | od -An -tu1 -j $((320 * 90 + $1)) -N 1 | tr -d ' '; }
has_bars() { [ "$(luma 10)" -le 16 ] && [ "$(luma 309)" -le 16 ] && [ "$(head -c 10 $folder/last.pgm | tail -n 1)" = "320 180" ]; }
waiting_for 6 has_bars
check_that "pictures of the other size come with black bars" has_bars
end $producer

rounds=$(rounds 2 10)
for round in $(seq "$rounds"); do
    for signal in TERM KILL; do
        end $studio $signal
        watch
        reads_on || echo "not ok - the reader has ended in round $round, after $signal"
    done
done
check_that "the studio was stopped and killed $rounds times each: the reader goes on" reads_on
# It rounds the pictures' times to thirtieths of a second, and then complains of itself.
result=$(grep -v 'non monotonically increasing dts' $folder/ffmpeg)
check_that "without a complaint" test -z "$result"
kill $reader
wait $reader
end $studio
rmmod v4l2loopback
