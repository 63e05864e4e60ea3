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
sound_card
id=bus:platform:vivid-000:0
first=$("$BUILT/camo-producer" list --json | grep -F "\"$id\"" | grep -oE '/dev/video[0-9]+')
rounds=10

begin producer --v4l2 "$first" --alsa hw:Loopback,1,0 --size 320x180 --fps 10 --port 5700 --no-advertise
producer=$!
waiting_for 10 told producer '"started"'
begin studio --connect 127.0.0.1:5700 --record $folder/out.mp4
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

for round in 1 2 3; do
    echo snd_aloop.0 > $cards/unbind
    waiting_for 5 told producer 'no sound: ' "$round" || break
    echo snd_aloop.0 > $cards/bind
    waiting_for 5 test -e /dev/snd/pcmC0D1c
    # The device is open again.
    waiting_for 5 grep -qs RUNNING /proc/asound/card0/pcm1c/sub0/status || break
done
check_that "a sound card that comes and goes is taken up again too" \
    grep -qs RUNNING /proc/asound/card0/pcm1c/sub0/status
check_that "and the picture went on" test "$(grep -c '"deviceLost".*dev/video' $folder/producer)" = $((rounds + 1))
end $producer
check_that "the producer ends in time" test $status = 0 -a $took -lt $((1000 * slowness))
end $studio
rmmod vivid
rmmod snd-aloop
