# A camera that another program plays into v4l2loopback, which is killed and comes back; and who watches it is killed.
. "$(dirname "$0")/lib.sh"

folder=/run/writer
node=/dev/video9
paired
rmmod v4l2loopback 2>/dev/null
modprobe v4l2loopback video_nr=9 card_label=Played exclusive_caps=0 max_buffers=4

write() {
    ffmpeg -v error -re -f lavfi -i smptebars=size=320x180:rate=10 -pix_fmt yuyv422 -f v4l2 $node \
        </dev/null >/dev/null 2>&1 &
    writer=$!
}
has_format() { v4l2-ctl -d $node --get-fmt-video 2>/dev/null | tr -d ' \t\n' | grep -q 'Width/Height:320/180'; }
# opens: the producer has the camera open.
opens() { ls -l /proc/$producer/fd | grep -q "$node\$"; }
closed() { ! opens; }

write
waiting_for 10 has_format
begin producer --v4l2 $node --sound off --port 5700 --no-advertise
producer=$!
waiting_for 10 told producer '"started"'
begin studio --connect 127.0.0.1:5700 --record $folder/out.mp4
studio=$!
waiting_for 20 test -s $folder/out.mp4
check_that "it is watched" test -s $folder/out.mp4

kill -KILL $writer
wait $writer 2>/dev/null
waiting_for 10 told producer '"deviceLost".*no picture for 5 s'
check_that "a camera that falls silent is told, not waited for" told producer '"deviceLost".*no picture for 5 s'
size=$(stat -c %s $folder/out.mp4)
write
grows() { [ "$(stat -c %s $folder/out.mp4)" -gt $((size + 20000)) ]; }
waiting_for 20 grows
check_that "and taken up when there are pictures again" grows

kill -KILL $studio
wait $studio 2>/dev/null
waiting_for 12 closed
check_that "the camera is closed after the studio was killed" closed
end $producer
check_that "the producer ends in time" test $status = 0 -a $took -lt $((1000 * slowness))
kill $writer
wait $writer 2>/dev/null
rmmod v4l2loopback
