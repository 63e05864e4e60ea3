# Cameras and sound cards that come and go while the producer streams: told at once, taken up again at once, and no other
# camera is taken in the place of one that has gone.
. "$(dirname "$0")/lib.sh"

folder=/run/replug
cameras=/sys/bus/platform/drivers/vivid
cards=/sys/bus/platform/drivers/snd_aloop
paired

# Two cameras, so that numbers can change hands.
rmmod vivid 2>/dev/null
modprobe vivid n_devs=2 node_types=0x1,0x1 num_inputs=1,1 input_types=0x0,0x0
# The microphone is on the one card, the loudspeaker on the other.
rmmod snd-aloop 2>/dev/null
modprobe snd-aloop enable=1,1 index=0,1 id=Loopback,Speaker
id=bus:platform:vivid-000:0
first=$("$BUILT/camo-producer" list --json | grep -F "\"$id\"" | grep -oE '/dev/video[0-9]+')
rounds=$(rounds 2 10)
tone() { play 0 48000 2 float32 $((120 * slowness)); }

tone
begin producer --v4l2 "$first" --alsa hw:Loopback,1,0 --sound lpcm --size 320x180 --fps 10 --port 5700 --no-advertise
producer=$!
waiting_for 10 told producer '"started"'
"$BUILT/camo-studio" --connect 127.0.0.1:5700 --stdout h264 --alsa hw:Speaker,0,0 --state-dir $folder/studio.state \
    > $folder/pictures 2> $folder/studio &
studio=$!
waiting_for 20 told producer ' at 10 fps'

slowest=0
for round in $(seq $rounds); do
    echo vivid.0 > $cameras/unbind
    waiting_for 5 told producer '"deviceLost"' "$round" || break
    began=${EPOCHREALTIME//./}
    echo vivid.0 > $cameras/bind
    waiting_for 5 told producer ' at 10 fps' $((round + 1)) || break
    took=$(((${EPOCHREALTIME//./} - began) / 1000))
    [ $took -le $slowest ] || slowest=$took
done
check_that "a camera that is unplugged and plugged in again is told and taken up, $rounds times" \
    told producer ' at 10 fps' $((rounds + 1))
check_that "each time within a second" test "$slowest" -lt $((1000 * slowness))

# The two change their numbers: the camera that is now at the node is not taken, the one that was is found at its new one.
echo vivid.0 > $cameras/unbind
waiting_for 5 told producer '"deviceLost"' $((rounds + 1))
waiting_for 5 rmmod vivid
other=/dev/video$(($(tr -dc 0-9 <<<"$first") + 1))
modprobe vivid n_devs=2 node_types=0x1,0x1 num_inputs=1,1 input_types=0x0,0x0 \
    vid_cap_nr="$(tr -dc 0-9 <<<"$other"),$(tr -dc 0-9 <<<"$first")"
waiting_for 5 told producer ' at 10 fps' $((rounds + 2))
check_that "a camera whose number has changed is taken up under the new one" \
    told producer ' at 10 fps' $((rounds + 2))
check_that "and the one that has its old number is let alone" \
    sh -c "ls -l /proc/$producer/fd | grep -q '$other\$' && ! ls -l /proc/$producer/fd | grep -q '$first\$'"

# listens: the producer has the microphone open.
listens() { grep -qs RUNNING /proc/asound/card0/pcm1c/sub0/status; }
slowest=0
for round in $(seq "$rounds"); do
    # The kernel lets go of the card when the last program has.
    echo snd_aloop.0 > $cards/unbind &
    unbind=$!
    waiting_for 5 told producer 'no sound: ' "$round" || break
    play_end
    wait $unbind
    began=${EPOCHREALTIME//./}
    echo snd_aloop.0 > $cards/bind
    waiting_for 5 listens || break
    took=$(((${EPOCHREALTIME//./} - began) / 1000))
    [ $took -le $slowest ] || slowest=$took
    tone
done
check_that "a microphone that is pulled out and put back is told and taken up, $rounds times" \
    test "$(grep -c 'no sound: ' $folder/producer)" -ge "$rounds" -a "$round" = "$rounds"
check_that "each time within a second" test "$slowest" -lt $((1000 * slowness))
probe sound hw:Speaker,1,0 --seconds 2
check "and is heard again" 'peaks1 > 0.4 && peaks1 < 0.6'
check_that "and the picture went on" test "$(grep -c '"deviceLost".*dev/video' $folder/producer)" = $((rounds + 1))
end $producer
check_that "the producer ends in time" test $status = 0 -a $took -lt $((1000 * slowness))
end $studio
play_end
rmmod vivid
rmmod snd-aloop
