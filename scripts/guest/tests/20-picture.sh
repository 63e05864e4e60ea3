# Pictures in each format and several sizes: the colour bars are where they are and what they are.
. "$(dirname "$0")/lib.sh"

camera hdmi
for size in 322x242 1280x720; do
    for format in yuyv nv12 bgra; do
        probe video /dev/video0 --size $size --fps 60 --format $format --seconds 0.7
        check "$size $format" "size == \"$size\" && format == \"$format\" && frames >= 5 && barError <= 4 \
            && isRising && short == 0 && damaged == 0 && lost == \"\" && hasStopped"
    done
done

for format in i420 nv21 uyvy rgb24 bgr24 gray; do
    probe video /dev/video0 --size 324x242 --fps 60 --format $format --seconds 0.4
    check "324x242 $format" "size == \"324x242\" && format == \"$format\" && frames >= 3 && barError <= 4 \
        && short == 0 && lost == \"\" && hasStopped"
done

probe video /dev/video0 --size 640x480 --format yuyv --stride 1408 --seconds 0.7
check "yuyv with 128 bytes of padding" 'stride == 1408 && frames >= 5 && barError <= 4'
probe video /dev/video0 --size 640x480 --format nv12 --stride 704 --seconds 0.7
check "nv12 with 64 bytes of padding" 'stride == 704 && frames >= 5 && barError <= 4'
probe video /dev/video0 --size 640x480 --format bgra --stride 2624 --seconds 0.7
check "bgra with 64 bytes of padding" 'stride == 2624 && frames >= 5 && barError <= 4'

# Full range, another matrix: the tags follow, or the bars would not be the bars.
v4l2-ctl -d /dev/video0 -c quantization=1
probe video /dev/video0 --size 640x480 --format nv12 --seconds 0.7
check "full range as the driver says it" 'barError <= 4 && frames >= 5'
v4l2-ctl -d /dev/video0 -c quantization=0 -c y_cbcr_encoding=1
probe video /dev/video0 --size 640x480 --format yuyv --seconds 0.7
check "another matrix as the driver says it" 'barError <= 4 && frames >= 5'
rmmod vivid
