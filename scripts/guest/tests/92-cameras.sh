# Two cameras: chosen and set from the studio while it records, turned and mirrored, and as a photo.
# Alone: records while cameras change, on an emulated processor.
. "$(dirname "$0")/lib.sh"

folder=/run/cameras
mkdir -p $folder

# begin NAME PROGRAM ARGUMENT…: starts one of the two programs in the background; what it says is in $folder/NAME.
begin() {
    local name=$1 program=$2
    shift 2
    "$BUILT/camo-$program" "$@" --json --state-dir "$folder/$program.state" > "$folder/$name" 2>&1 &
}

# told NAME PATTERN: whether the program has told something like this.
told() { grep -qE -- "$2" "$folder/$1"; }

# studio ARGUMENT…: what the studio's command says is in $result.
studio() {
    result=$(within 15 "$BUILT/camo-studio" "$@" --connect 127.0.0.1:5701 --state-dir $folder/studio.state 2>&1)
    status=$?
}

end() {
    kill -TERM "$1"
    wait "$1"
}

# levels FILE X Y HEIGHT: the luma of its pictures in the column at X of 8, from Y of 8 on, one a line.
levels() {
    ffmpeg -v error -i "$1" -vf "format=gray,scale=8:8:flags=area,crop=1:$4:$2:$3,scale=1:1:flags=area" \
        -fps_mode passthrough -enc_time_base 1:90000 -f rawvideo - | od -An -v -tu1 -w1
}

# jumps FILE X Y HEIGHT: the numbers of the pictures in which it is suddenly lighter or darker there.
jumps() {
    levels "$@" | awk 'NR > 1 && ($1 > last + 25 || $1 < last - 25) { printf "%d ", NR } { last = $1 }'
}

rmmod vivid 2>/dev/null
modprobe vivid n_devs=2 node_types=0x1,0x1 num_inputs=1,1 input_types=0x0,0x0
for node in 0 1; do v4l2-ctl -d /dev/video$node -c osd_text_mode=2; done
# Told apart by their light.
v4l2-ctl -d /dev/video1 -c brightness=220

begin pairing studio pair
pairing=$!
waiting_for 10 told pairing '"payload"'
within 35 "$BUILT/camo-producer" pair "$(grep -oE 'camo:pair[^"]*' $folder/pairing)" \
    --state-dir $folder/producer.state 2>/dev/null
wait $pairing

# Sound too only in scripts/soak: coding it as AAC as well is much for the emulated processor.
sound=()
if [ -n "${CAMO_SOAK-}" ]; then
    sound_card
    play 0 48000 2 float32 $((120 * slowness))
    sound=(--alsa hw:Loopback,1,0 --sound lpcm)
fi
begin producer producer --v4l2 /dev/video0 ${sound[@]+"${sound[@]}"} --size 320x180 --fps 10 --port 5701 --no-advertise
producer=$!
waiting_for 10 told producer '"started"'

studio cameras
check_that "the studio lists the producer's cameras" says '^bus:platform:vivid-001:0  vivid$'
check_that "and which one it shows" says '^bus:platform:vivid-000:0  vivid  \(shown\)$'
check_that "without opening it" test "$(grep -c ' at 10 fps' $folder/producer)" = 0

begin recorder studio --connect 127.0.0.1:5701 --record $folder/out.mp4
recorder=$!
waiting_for 20 told producer ' at 10 fps'
sleep 1
changes=$(rounds 4 20)
for change in $(seq $changes); do
    studio cameras bus:platform:vivid-00$((change % 2)):0
    [ $status = 0 ] || break
done
check_that "another camera is chosen $changes times" test $status = 0
studio cameras bus:platform:vivid-009:0
check_that "one that is absent is refused" test $status = 66
check_that "with those there are" says 'no such camera; there is bus:platform:vivid-000:0'

studio controls saturation=0
check_that "a control is set from the studio" test $status = 0
check_that "on the camera that is shown" test "$(v4l2-ctl -d /dev/video0 -C saturation)" = 'saturation: 0'
v4l2-ctl -d /dev/video0 -c contrast=120
studio controls
check_that "a change that somebody else makes is known there" says '^contrast = 120;'
studio controls saturation=256
check_that "a value out of range is refused" test $status = 64
sleep 1
end $recorder

read -ra changed <<<"$(jumps $folder/out.mp4 6 0 8)"
result="{\"jumps\":${#changed[@]}"
ffprobe -v error -select_streams v -show_entries packet=pts_time -of csv=p=0 $folder/out.mp4 | sort -n > $folder/times
gap=$(awk 'NR > 1 && $1 - last > most { most = $1 - last } { last = $1 } END { print most + 0 }' $folder/times)
result+=",\"pictureGap\":$gap}"
echo "# $result"
check "each change is seen" "jumps == $changes"
# Top right and bottom left: never the upper part of one camera's picture over the lower part of the other's.
check_that "in one picture, the whole of it" test "$(jumps $folder/out.mp4 6 0 1)" = "$(jumps $folder/out.mp4 1 7 1)"
# 0.3 s on a real machine.
check "without a gap in the picture" 'pictureGap < 0.3 * slowness'
if [ -n "${CAMO_SOAK-}" ]; then
    heard $folder/out.mp4
    echo "# $result"
    check "and none in the sound" 'spans == 1 && clicks == 0 && longestSpan > seconds - 0.5'
    play_end
fi
end $producer

begin turned producer --v4l2 /dev/video0 --size 320x180 --fps 10 --port 5701 --no-advertise --no-remote-control \
    --rotate 90 --mirror --sound off
producer=$!
waiting_for 10 told turned '"started"'
studio snapshot $folder/turned.png
read -r width height < <(ffprobe -v error -show_entries stream=width,height -of csv=p=0 $folder/turned.png | tr , ' ')
check_that "a picture is turned" test "$width" = 180 -a "$height" = 320
# The bars' white is at the left: a quarter turn puts it on top, wherever left and right are.
read -r top bottom < <(ffmpeg -v error -i $folder/turned.png -vf scale=1:8:flags=area -f rawvideo -pix_fmt gray - |
    od -An -v -tu1 -w8 | awk '{ print $1, $8 }')
check_that "clockwise" test "$top" -gt "$bottom"
studio cameras
check_that "without remote control nothing is offered" test $status = 69
check_that "and the studio is told why" says 'offers no control of cameras'
end $producer

result=$(within 30 "$BUILT/camo-producer" photo $folder/photo.jpg --mirror 2>&1)
check_that "a photo is taken at the camera's best size" says 'Saved 3840x2160 of vivid'
read -r left right < <(ffmpeg -v error -i $folder/photo.jpg -vf scale=8:1:flags=area -f rawvideo -pix_fmt gray - |
    od -An -v -tu1 -w8 | awk '{ print $1, $8 }')
check_that "mirrored" test "$left" -lt "$right"
within 10 "$BUILT/camo-producer" photo $folder/photo.jpg 2>/dev/null
check_that "never over another file" test $? = 73
rmmod vivid
[ -z "${CAMO_SOAK-}" ] || rmmod snd-aloop
