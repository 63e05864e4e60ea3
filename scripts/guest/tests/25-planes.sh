# A camera that speaks the multi-planar API: a picture in one memory, and in several.
. "$(dirname "$0")/lib.sh"

camera hdmi multiplanar=2
for format in yuyv nv12 bgra gray; do
    probe video /dev/video0 --size 322x242 --fps 60 --format $format --seconds 0.4
    check "multi-planar $format" "format == \"$format\" && frames >= 3 && barError <= 4 && short == 0 && hasStopped"
done
for code in YM12 YM21; do
    probe video /dev/video0 --size 322x242 --fps 60 --code $code --seconds 0.4
    check "multi-planar $code" 'format == "i420" && frames >= 3 && barError <= 4 && short == 0 && hasStopped'
done
probe video /dev/video0 --size 640x480 --format nv12 --stride 704 --seconds 0.4
check "multi-planar nv12 with padding" 'stride == 704 && frames >= 3 && barError <= 4'
rmmod vivid
