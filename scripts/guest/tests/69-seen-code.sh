# The camera reads the code that a studio shows: v4l2loopback is held in front of it.
. "$(dirname "$0")/lib.sh"

folder=/run/seen
node=/dev/video9
mkdir -p $folder
rmmod v4l2loopback 2>/dev/null
modprobe v4l2loopback video_nr=9 card_label=Reader exclusive_caps=0 max_buffers=4

begin studio pair --name Desk --qr $folder/code.png
studio=$!
waiting_for 10 test -s $folder/code.png
# Held at an angle, on a desk.
ffmpeg -v error -re -loop 1 -framerate 5 -i $folder/code.png -vf \
    'scale=400:400,pad=640:480:120:40:gray,rotate=0.2:c=gray,format=yuyv422' -f v4l2 $node </dev/null >/dev/null 2>&1 &
writer=$!
waiting_for 10 sh -c "v4l2-ctl -d $node --get-fmt-video 2>/dev/null | tr -d ' \t\n' | grep -q 640/480"

within 30 "$BUILT/camo-producer" pair --v4l2 $node --yes Kitchen --state-dir $folder/producer.state 2> $folder/wrong
check_that "a code of another studio than was named is refused" test $? = 78
within 30 "$BUILT/camo-producer" pair --v4l2 $node --yes Desk --state-dir $folder/producer.state 2> $folder/right
check_that "the code that the camera sees pairs" test $? = 0
check_that "and says whose it is" grep -q 'Paired with Desk' $folder/right
wait $studio
check_that "and the studio has ended with it" test $? = 0
kill $writer
wait $writer 2>/dev/null
rmmod v4l2loopback
