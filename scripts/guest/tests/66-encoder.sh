# The kernel's interface for encoders, on its test driver: vicodec makes FWHT, not H.264, by the same calls.
. "$(dirname "$0")/lib.sh"

folder=/run/encoder
mkdir -p $folder

# decode FILE WIDTH HEIGHT: by the driver's own decoder, into FILE.yuv.
decode() {
    [ -s "$1" ] && within 2 v4l2-ctl -d /dev/video1 --set-fmt-video-out="width=$2,height=$3,pixelformat=FWHT" \
        --set-fmt-video=pixelformat=YU12 --stream-mmap --stream-out-mmap --stream-from="$1" --stream-to="$1.yuv"
}

# greys FILE WIDTH HEIGHT: the luma in the middle of each picture.
greys() {
    perl -e 'my ($file, $width, $height) = @ARGV; open my $in, "<:raw", $file or die; my $size = $width * $height * 3 / 2;
        while (read($in, my $picture, $size) == $size) { print ord substr($picture, $width * ($height + 1) / 2, 1), " " }' "$@"
}

# are_near FIRST COUNT GREYS: the pictures of device-probe from number FIRST on, but for what coding takes away.
are_near() {
    awk -v first="$1" -v count="$2" 'NR == 1 { bad = NF != count; for (i = 1; i <= NF; i++) {
        off = $i - (40 + 10 * ((first + i - 1) % 16)); if (off < -4 || off > 4) bad = 1 } } END { exit NR != 1 || bad }' <<<"$3"
}

for planes in N Y; do
    rmmod vicodec 2>/dev/null
    modprobe vicodec multiplanar=$planes
    probe encode --code FWHT --pictures 20 --save $folder/coded --abandoned 8
    check "multiplanar=$planes: each picture comes out before the next goes in, with its stamp" \
        'coded1 == 20 && coded2 == 20 && coded3 == 20 && isStamped'
    check "a drain ends, and it goes on afterwards" 'drained == 0 && coded2 == 20'
    check "it is let go in every state" 'abandoned == 8'
    [ $planes = N ] || continue
    decode $folder/coded 640 360 >/dev/null 2>&1
    result=$(greys $folder/coded.yuv 640 360)
    check_that "and what came out are the pictures" are_near 0 40 "$result"
    decode $folder/coded.2 720 400 >/dev/null 2>&1
    result=$(greys $folder/coded.2.yuv 720 400)
    check_that "also of another size" are_near 0 20 "$result"
done

# What a person is told of it.
begin producer --test-pattern --encoder h264_v4l2m2m --sound off --port 5700 --no-advertise
producer=$!
check_that "an encoder that makes no H.264 is not used, and why" \
    waiting_for 5 told producer 'h264_v4l2m2m is not used: .*/dev/video0 \(vicodec\) makes FWHT; libx264 is'
end $producer
check_that "the doctor says so too" sh -c "'$BUILT/camo-producer' doctor --state-dir $folder/producer.state | grep -q 'h264_v4l2m2m.*makes FWHT'"
rmmod vicodec
