# A camera that codes H.264 itself, played into v4l2loopback: passed on as it is while its keyframes come often enough.
. "$(dirname "$0")/lib.sh"

folder=/run/h264
node=/dev/video9
paired
rmmod v4l2loopback 2>/dev/null
modprobe v4l2loopback video_nr=9 card_label=Coded exclusive_caps=0 max_buffers=4

# code KEYFRAME_EVERY: ten pictures a second. What x264 says of itself in the stream tells whose coding it is.
code() {
    ffmpeg -v error -f lavfi -i smptebars=size=320x192:rate=10 -frames:v "$((2 * $1))" -pix_fmt yuv420p -c:v libx264 \
        -preset ultrafast -tune zerolatency -g "$1" -x264-params "aud=1:scenecut=0" -f h264 -y $folder/stream.h264 </dev/null
}

play_coded() {
    perl "$(dirname "$0")/play-coded.pl" $node 320 192 10 $folder/stream.h264 2>$folder/player &
    writer=$!
    waiting_for 4 sh -c "v4l2-ctl -d $node --list-formats 2>/dev/null | grep -q H264"
}

watch() {
    begin producer --v4l2 $node --sound off --port 5700 --no-advertise
    producer=$!
    waiting_for 5 told producer '"started"'
    begin studio --connect 127.0.0.1:5700 --record "$folder/$1.mp4" --stats
    studio=$!
    waiting_for 10 test -s "$folder/$1.mp4"
}

end_all() {
    end $studio
    end $producer
    kill $writer
    wait $writer 2>/dev/null
}

code 10
play_coded
check_that "v4l2loopback is an H.264 camera" test $? = 0
check_that "a photo of it is decoded" within 10 "$BUILT/camo-producer" photo $folder/face.png --v4l2 $node
watch passed
check_that "its coding is passed on as it is" waiting_for 5 grep -aq 'keyint=10 ' $folder/passed.mp4
waiting_for 10 has_pictures 12
end_all
check_that "and decodes" test "$(decoded passed)" -gt 5

# A keyframe every three seconds is too seldom for somebody who joins.
code 30
play_coded
watch coded
check_that "where keyframes are rare it is coded anew" waiting_for 4 grep -aq 'keyint=infinite' $folder/coded.mp4
end_all
rmmod v4l2loopback
