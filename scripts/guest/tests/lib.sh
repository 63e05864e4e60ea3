# Sourced by the checks in this folder, which run in the guest as root. Each prints lines as the Test Anything Protocol
# has them, `ok - …` and `not ok - …`; tests/all numbers them.

set -uo pipefail

# Where the built programs are: given by tests/all.
PROBE=$BUILT/device-probe

# The emulated processor is slow: every deadline is multiplied by this.
slowness=5

# within SECONDS COMMAND…: the command, killed after so many (slow) seconds.
within() {
    local seconds=$1
    shift
    timeout -k 5 $((seconds * slowness)) "$@"
}

# rounds FEW MANY: how often something is repeated: MANY times in scripts/soak, which says so by CAMO_SOAK.
rounds() { [ -n "${CAMO_SOAK-}" ] && echo "$2" || echo "$1"; }

# camera INPUT [OPTION…]: the kernel's test camera with one input, fresh, its picture plain colour bars.
# INPUT: webcam (discrete sizes and rates), hdmi (any size, 60 fps, 1280x720) or svideo (interlaced).
camera() {
    local type=0x0
    case $1 in hdmi) type=0x3 ;; svideo) type=0x2 ;; esac
    shift
    rmmod vivid 2>/dev/null
    modprobe vivid n_devs=1 node_types=0x1 num_inputs=1 input_types=$type no_error_inj=0 "$@" || return
    v4l2-ctl -d /dev/video0 -c osd_text_mode=2
}

# sound_card: a cable from playback on hw:Loopback,0 to capture on hw:Loopback,1, fresh.
sound_card() {
    rmmod snd-aloop 2>/dev/null
    modprobe snd-aloop
}

# play SUBSTREAM RATE CHANNELS FORMAT SECONDS: tones of 1000 Hz, 1100 Hz … on the channels, in the background, until
# play_end.
play() {
    local code
    case $4 in int16) code=S16_LE ;; int32) code=S32_LE ;; float32) code=FLOAT_LE ;; esac
    "$PROBE" tone --rate "$2" --channels "$3" --format "$4" --seconds "$5" |
        aplay -q -D "hw:Loopback,0,$1" -t raw -f "$code" -r "$2" -c "$3" 2>/dev/null &
    player=$!
    # Capture takes over the player's format, once that has opened the cable.
    waiting_for 10 grep -q RUNNING "/proc/asound/Loopback/pcm0p/sub$1/status"
}

play_end() {
    kill $player 2>/dev/null
    wait $player 2>/dev/null
}

# Until play_end, with a hole where the camera on /dev/video0 turns bright (VIDIOC_S_CTRL of the brightness): both at
# once, for a second.
flash() {
    {
        perl -e 'open my $camera, "+<", "/dev/video0" or die; my $control = pack "Ll", 0x980900, 255;
            ioctl $camera, 0xc008561c, $control or die; kill KILL => shift' $player
        wait $player
    } 2>/dev/null
    sleep 1
    v4l2-ctl -d /dev/video0 -c brightness=128
    play 0 48000 2 float32 $((60 * slowness))
}

# recorded FILE: what a recording has of the test camera and of the tone, in $result.
recorded() {
    # The bars keep their places in a smaller picture. Sound begins with the picture, and its gaps become silence.
    ffmpeg -v error -i "$1" \
        -map 0:v -vf scale=64:36:flags=area,format=bgra -fps_mode passthrough -enc_time_base 1:90000 \
        -f rawvideo "$1.pictures" -map 0:v -c copy -f framecrc "$1.packets" </dev/null
    awk -F', *' '/^#tb/ { split($0, part, "[ /]"); unit = part[3] / part[4] } /^0,/ { print $3 * unit }' \
        "$1.packets" > "$1.times"
    sound_of "$1"
    probe recording --size 64x36 --pictures "$1.pictures" --times "$1.times" --sound "$1.sound"
}

# sound_of FILE: the first channel of a recording's sound, as floats at 48000 Hz in FILE.sound.
sound_of() {
    ffmpeg -v error -i "$1" -map 0:a -af 'aresample=async=1:first_pts=0,pan=mono|c0=c0' -ar 48000 -f f32le \
        -y "$1.sound" </dev/null
}

# heard FILE: how whole the tone is in a recording, in $result.
heard() {
    sound_of "$1"
    probe listen --sound "$1.sound"
}

# waiting_for SECONDS COMMAND…: until the command succeeds.
waiting_for() {
    local end=$((SECONDS + $1 * slowness))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.05
    done
}

# probe ARGUMENT…: runs device-probe; what it says is in $result, its exit code in $status.
probe() {
    result=$(within 20 "$PROBE" "$@" 2>/dev/null)
    status=$?
}

# probe_begin ARGUMENT…: starts device-probe in the background, for a minute, and waits until frames come. Its process
# is $probe_id.
probe_begin() {
    : > /run/probe.err
    "$PROBE" "$@" --seconds $((60 * slowness)) > /run/probe.out 2> /run/probe.err &
    probe_id=$!
    waiting_for 10 grep -q started /run/probe.err
}

# probe_end [SIGNAL]: sends the signal, waits until it has ended, and is then like `probe`.
probe_end() {
    [ $# = 0 ] || kill "-$1" $probe_id
    wait $probe_id 2>/dev/null
    status=$?
    result=$(cat /run/probe.out)
}

# check NAME EXPRESSION: whether an awk expression over the fields of $result holds. Elements of an array are
# called by its name and their number from 1; deadlines are multiplied by `slowness`.
check() {
    local assignments=(-v slowness=$slowness) pair name value
    while read -r pair; do
        name=${pair%%\":*}
        name=${name#\"}
        value=${pair#*\":}
        if [[ $value == \[* ]]; then
            local number=0
            IFS=, read -ra elements <<<"${value//[\[\]]/}"
            for value in ${elements[@]+"${elements[@]}"}; do
                assignments+=(-v "$name$((++number))=${value//\"/}")
            done
        else
            value=${value//\"/}
            [ "$value" != true ] || value=1
            [ "$value" != false ] || value=0
            assignments+=(-v "$name=$value")
        fi
    done < <(grep -oE '"[A-Za-z]+":("([^"\\]|\\.)*"|\[[^]]*\]|[^],}]*)' <<<"$result")
    if awk "${assignments[@]}" "BEGIN { exit !($2) }"; then
        echo "ok - $1"
    else
        echo "not ok - $1"
        echo "# expected: $2"
        echo "# result (exit $status): $result"
    fi
}

# check_that NAME COMMAND…: whether the command succeeds.
check_that() {
    local name=$1 output
    shift
    if output=$("$@" 2>&1); then
        echo "ok - $name"
    else
        echo "not ok - $name"
        printf '# %s\n' "$* failed ($?)" "$output" "result: ${result-}"
    fi
}

# says PATTERN: whether $result has text like this.
says() { grep -qE -- "$1" <<<"$result"; }

# What follows is about the two programs, whose output and state are in $folder.

# begin NAME ARGUMENT…: starts camo-NAME in the background, telling events; what it tells is in $folder/NAME.
begin() {
    local name=$1
    shift
    "$BUILT/camo-$name" "$@" --json --state-dir "$folder/$name.state" > "$folder/$name" 2>&1 &
}

# told NAME PATTERN [COUNT]: whether the program has told something like this, so many times.
told() { [ "$(grep -cE -- "$2" "$folder/$1")" -ge "${3-1}" ]; }

# has_pictures COUNT: whether so many have arrived at a studio with --stats.
has_pictures() {
    local count
    count=$(grep -o '"pictures":[0-9]*' "$folder/studio" | tail -n 1)
    [ "${count#*:}" -ge "$1" ] 2>/dev/null
}

# decoded NAME: how many pictures the recording $folder/NAME.mp4 has.
decoded() {
    ffprobe -v error -count_frames -select_streams v -show_entries stream=nb_read_frames -of csv=p=0 \
        "$folder/$1.mp4" | tr -d ,
}

# end PROCESS [SIGNAL]: SIGTERM, or the signal; its exit code is in $status, the milliseconds until it has ended in $took.
end() {
    local began=${EPOCHREALTIME//./}
    kill "-${2-TERM}" "$1"
    wait "$1" 2>/dev/null
    status=$?
    took=$(((${EPOCHREALTIME//./} - began) / 1000))
}

# pair_both: makes a studio and a producer known to one another, by the code.
pair_both() {
    local studio
    mkdir -p "$folder"
    begin studio pair
    studio=$!
    waiting_for 10 told studio '"payload"'
    within 35 "$BUILT/camo-producer" pair "$(grep -oE 'camo:pair[^"]*' "$folder/studio")" \
        --state-dir "$folder/producer.state" 2>/dev/null
    check_that "a producer pairs by the code" test $? = 0
    wait $studio
    check_that "and the studio has ended with it" test $? = 0
}

# paired: the same for checks that are about something else: those who were paired first in this boot.
paired() {
    mkdir -p "$folder"
    if [ ! -d /run/paired ]; then
        pair_both
        mkdir /run/paired
        cp -a "$folder"/*.state /run/paired/
    fi
    cp -a /run/paired/*.state "$folder/"
}
