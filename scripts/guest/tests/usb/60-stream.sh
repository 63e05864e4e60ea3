# The whole of the product over a cable: a stranger gets nothing, a yes at the producer's terminal pairs, and camera and
# microphone are recorded at the other end; either program at either end, at all speeds.
# Alone: codes and records picture and sound at once, on an emulated processor.
. "$(dirname "$0")/lib.sh"
PROBE=$BUILT/device-probe

folder=/run/cable
mkdir -p $folder
# The smallest that vivid has, so that the emulated processor keeps up.
source=(--v4l2 /dev/video0 --alsa hw:Loopback,1,0 --sound lpcm --size 320x180 --fps 10 --no-advertise)

# records FILE PICTURES PRODUCER-ROLE STUDIO-ROLE: both programs, ended when so many have arrived.
records() {
    begin producer "${source[@]}" --usb "$3"
    producer=$!
    begin studio --usb "$4" --record "$1" --stats
    studio=$!
    waiting_for 20 has_pictures "$2"
    end $producer
    waiting_for 5 told studio '"waiting"'
    end $studio
    recorded "$1"
}

# answering ANSWER ARGUMENT…: the producer on a terminal, at which somebody answers what it asks.
answering() {
    local answer=$1
    shift
    mkfifo $folder/keys
    script -qfec "$BUILT/camo-producer $* --json --state-dir $folder/producer.state" /dev/null \
        < $folder/keys > $folder/producer 2>&1 &
    terminal=$!
    exec 9> $folder/keys
    waiting_for 30 told producer '"pairingQuestion"' || sed 's/^/# /' $folder/producer
    echo "$answer" >&9
}

answered() {
    pkill -TERM -x camo-producer
    exec 9>&-
    wait $terminal
    rm $folder/keys
}

devices() { "$BUILT/camo-$1" devices --json --state-dir $folder/$1.state | grep -o '"fingerprint"' | wc -l; }

cable
camera webcam
sound_card
play 0 48000 2 float32 $((120 * slowness))
compose

begin producer "${source[@]}" --usb gadget
producer=$!
begin studio --usb host --record $folder/stranger.mp4
studio=$!
waiting_for 20 told producer 'is not paired with this producer'
sleep 3
check_that "a stranger's computer is told of, once" test "$(grep -c 'not paired' $folder/producer)" = 1
end $producer
check_that "a producer on a cable ends in time" test $status = 0 -a $took -lt $((2000 * slowness))
end $studio
check_that "so does a studio" test $took -lt $((2000 * slowness))
check_that "and nothing was sent" test ! -s $folder/stranger.mp4
check_that "nor stored" test "$(devices producer)$(devices studio)" = 00

begin studio --usb host --record $folder/refused.mp4
studio=$!
answering n "${source[@]}" --usb gadget
waiting_for 10 told producer 'not paired with the studio there'
asked=$(grep -o '"fingerprint":"[^"]*"' $folder/producer | cut -d'"' -f4)
check_that "the studio shows the fingerprint that the producer's people are asked about" \
    test -n "$asked" -a "$(grep -c "$asked" $folder/studio)" -ge 1
sleep 2
check_that "a no is asked for once" test "$(grep -c pairingQuestion $folder/producer)" = 1
answered
end $studio
check_that "and pairs nobody" test "$(devices producer)$(devices studio)" = 00

begin studio --usb host --record $folder/out.mp4 --stats
studio=$!
answering y "${source[@]}" --usb gadget
waiting_for 20 told producer ' at 10 fps'
check_that "a yes pairs, and the picture comes by itself" told producer ' at 10 fps'
waiting_for 20 has_pictures 20
answered
waiting_for 5 told studio '"waiting"'
end $studio
check_that "both have written it down" test "$(devices producer)$(devices studio)" = 11
recorded $folder/out.mp4
check "the camera is at the producer, which is the gadget" 'barError <= 10 && frames > 10'
check "and so is the microphone" 'tone > 999 && tone < 1001 && level > 0.4 && level < 0.6'

records $folder/host.mp4 20 host gadget
check "the camera is at the host" 'barError <= 10 && frames > 10'
check "and so is the microphone" 'tone > 999 && tone < 1001 && level > 0.4 && level < 0.6'

for speed in is_high_speed=0 is_super_speed=1; do
    cable $speed
    records $folder/$speed.mp4 12 gadget host
    check "the same with $speed" 'barError <= 10 && frames > 5 && tone > 999 && tone < 1001'
done

play_end
"$BUILT/camo-producer" usb-gadget remove > /dev/null 2>&1
rmmod vivid
rmmod snd-aloop
