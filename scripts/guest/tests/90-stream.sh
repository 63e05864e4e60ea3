# The whole of the product on a real kernel: a camera and a microphone at one end, a recording at the other.
# Alone: decodes, codes and records picture and sound at once, on an emulated processor.
. "$(dirname "$0")/lib.sh"

folder=/run/stream
driver=/sys/bus/platform/drivers/vivid

# is_still: whether nothing is written any more.
is_still() {
    local size
    size=$(stat -c %s $folder/out.mp4)
    sleep 1
    [ "$size" = "$(stat -c %s $folder/out.mp4)" ]
}

camera webcam
sound_card

pair_both

# The smallest that vivid has, so that the emulated processor keeps up.
play 0 48000 2 float32 $((60 * slowness))
begin producer --v4l2 /dev/video0 --alsa hw:Loopback,1,0 --sound lpcm --size 320x180 --fps 10 --port 5700 --no-advertise
producer=$!
waiting_for 10 told producer '"started"'
begin studio --connect 127.0.0.1:5700 --record $folder/out.mp4
studio=$!
waiting_for 20 told producer ' at 10 fps'
sleep 3
for _ in 1 2; do
    flash
    sleep 2
done

echo vivid.0 > $driver/unbind
sleep 3
echo vivid.0 > $driver/bind
waiting_for 10 told producer ' at 10 fps' 2
check_that "a camera that is back is opened again" told producer ' at 10 fps' 2
sleep 3

end $producer
check_that "a producer that streams ends in time" test $status = 0 -a $took -lt $((2000 * slowness))
waiting_for 10 is_still
end $studio
check_that "so does a studio that records" test $status = 0 -a $took -lt $((2000 * slowness))
play_end

recorded $folder/out.mp4
check "the picture is the camera's" 'barError <= 10 && frames > 60 && rate > 5 && rate < 10.5'
check "the sound is the microphone's" 'tone > 999 && tone < 1001 && level > 0.4 && level < 0.6'
check "sound and picture are together" 'flashes2 != "" && mostOffset < 120'
check "sound goes on without the camera, and the picture is back with it" \
    'gapSeconds > 2 && gapSound > 0.9 && framesAfterGap > 10'
rmmod vivid
rmmod snd-aloop
