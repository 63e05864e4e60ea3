# A camera that codes its pictures itself, played by v4l2loopback: Motion JPEG, some of it broken.
. "$(dirname "$0")/lib.sh"

folder=/run/coded
node=/dev/video9
paired
rmmod v4l2loopback 2>/dev/null
modprobe v4l2loopback video_nr=9 card_label=Coded exclusive_caps=0 max_buffers=4

# play_coded FILE: what is in the file into the node, over and over, at its own pace.
play_coded() {
    ffmpeg -v error -re -stream_loop -1 -i "$1" -c copy -f v4l2 $node </dev/null >/dev/null 2>&1 &
    writer=$!
    waiting_for 10 sh -c "v4l2-ctl -d $node --list-formats 2>/dev/null | grep -q MJPG"
}

# record NAME: what a studio sees of the node in a few seconds is in $folder/NAME.mp4.
record() {
    begin producer --v4l2 $node --sound off --port 5700 --no-advertise
    producer=$!
    waiting_for 10 told producer '"started"'
    begin studio --connect 127.0.0.1:5700 --record "$folder/$1.mp4" --stats
    studio=$!
    waiting_for 20 has_pictures 50
    end $producer
    end $studio
}

bars="smptebars=size=320x192:rate=10"
ffmpeg -v error -f lavfi -i $bars -frames:v 40 -pix_fmt yuvj422p -c:v mjpeg -huffman default -q:v 3 \
    -f image2 $folder/%03d.jpg </dev/null
# Each fifth is noise, several times larger: what is left of it behind a small one is not to be seen.
ffmpeg -v error -f lavfi -i "nullsrc=size=320x192:rate=10,geq=random(1)*255:128:128" -frames:v 1 -pix_fmt yuvj422p \
    -c:v mjpeg -huffman default -q:v 2 $folder/noise.jpg </dev/null
for number in 005 010 015 020 025 035 040; do cp $folder/noise.jpg $folder/$number.jpg; done
# Every twentieth is cut in half, one is nothing at all.
for number in 019 039; do
    truncate -s $(($(stat -c %s $folder/$number.jpg) / 2)) $folder/$number.jpg
done
head -c "$(stat -c %s $folder/030.jpg)" /dev/zero > $folder/zeros
mv $folder/zeros $folder/030.jpg
ffmpeg -v error -f image2 -framerate 10 -i $folder/%03d.jpg -c copy -y $folder/mjpeg.avi </dev/null
began=$SECONDS
play_coded $folder/mjpeg.avi
record mjpeg
played=$(((SECONDS - began) * 10))
kill $writer; wait $writer 2>/dev/null
check_that "a Motion JPEG camera is watched" test "$(decoded mjpeg)" -gt 5
check_that "its broken pictures are left out and counted" told producer 'a picture is left out, the [0-9]+.. of this camera'
# Three of forty are broken, and no other.
left=$(grep -oE 'the [0-9]+.. of this camera' $folder/producer | tail -n 1 | tr -dc 0-9)
check_that "and no other, of whatever length" test "${left:-0}" -le $((played * 3 / 40 + 3))
rmmod v4l2loopback
