# A microphone whose clock is half a per cent slow, for a minute, with a camera: sound stays with the picture and is
# whole. In scripts/soak alone.
. "$(dirname "$0")/lib.sh"

if [ -z "${CAMO_SOAK-}" ]; then
    echo "ok - sound of a slow microphone stays with the picture # SKIP in scripts/soak"
    exit 0
fi
folder=/run/drift
paired
camera webcam
sound_card
play 0 48000 2 float32 $((120 * slowness))
begin producer --v4l2 /dev/video0 --alsa hw:Loopback,1,0 --sound lpcm --size 320x180 --fps 25 --port 5700 --no-advertise
producer=$!
waiting_for 10 told producer '"started"'
begin studio --connect 127.0.0.1:5700 --record $folder/out.mp4
studio=$!
waiting_for 20 told producer ' at 25 fps'
# What is read of the sound in a second is half a per cent less, from now on.
amixer -q -c Loopback cset iface=PCM,name='PCM Rate Shift 100000',device=1,subdevice=0 100500
sleep 2
for _ in 1 2; do
    flash
    sleep 2
done
sleep 60
for _ in 1 2; do
    flash
    sleep 2
done
end $producer
end $studio
play_end

recorded $folder/out.mp4
echo "# $result"
check "sound and picture are together at the beginning" 'flashes2 != "" && offsets1 < 40 && offsets1 > -40 \
    && offsets2 < 40 && offsets2 > -40'
check "and a minute later" 'flashes4 != "" && offsets3 < 40 && offsets3 > -40 && offsets4 < 40 && offsets4 > -40'
heard $folder/out.mp4
echo "# $result"
check "the tone of that minute is half a per cent lower" 'tone > 993 && tone < 997 && longestSpan > 58'
check "without a gap or a click" 'spans == 5 && clicks == 0'
rmmod vivid
rmmod snd-aloop
