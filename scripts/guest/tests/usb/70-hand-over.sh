# Cable and network at once: a session moves to the cable that is plugged in and back when it is pulled out, and comes
# back by itself where there is no network.
# Alone: decodes, codes and records picture and sound at once, on an emulated processor.
. "$(dirname "$0")/lib.sh"
PROBE=$BUILT/device-probe

folder=/run/hand-over
mkdir -p $folder
rounds=$(rounds 2 10)

# most_between FILE: the longest time from one picture to the next, in milliseconds.
most_between() { awk 'NR > 1 && $1 - last > most { most = $1 - last } { last = $1 } END { print int(most * 1000) }' "$1"; }

cable
compose
paired

begin producer --test-pattern --size 320x180 --fps 10 --no-advertise --port 5701 --usb gadget
producer=$!
waiting_for 10 told producer '"started"'
pull_out
begin studio --connect 127.0.0.1:5701 --usb host --record $folder/out.mp4
studio=$!
waiting_for 20 told studio '"transport":"tcp"'
sleep 2
fine=0
for round in $(seq "$rounds"); do
    plug_in
    waiting_for 5 told studio 'goes on over the cable' "$round" && fine=$((fine + 1))
    sleep 2
    pull_out
    waiting_for 5 told studio '"transport":"tcp"' $((round + 1)) && fine=$((fine + 1))
    sleep 2
done
check_that "the session moves to the cable and back, $rounds times" test $fine = $((2 * rounds))
check_that "nobody had to wait for it" test "$(grep -c '"waiting"' $folder/studio)" = 0
end $producer
waiting_for 5 told studio '"waiting"'
end $studio
recorded $folder/out.mp4
gap=$(most_between $folder/out.mp4.times)
echo "# longest time between two pictures: $gap ms"
check_that "no gap is longer than 300 ms, times $slowness" test "$gap" -lt $((300 * slowness))
check_that "and the recording is whole" ffmpeg -v error -xerror -i $folder/out.mp4 -f null -

# Without a network there is the cable alone.
begin producer --test-pattern --sound lpcm --size 320x180 --fps 10 --no-advertise --usb gadget
producer=$!
begin studio --usb host --record $folder/cable.mp4
studio=$!
waiting_for 20 told studio '"connected"'
fine=0
replugs=$(rounds 4 20)
for round in $(seq "$replugs"); do
    pull_out
    waiting_for 5 test ! -e /sys/bus/usb/devices/1-1
    plug_in
    waiting_for 3 told studio '"connected"' $((round + 1)) && fine=$((fine + 1))
done
check_that "a session is back within 3 s, $replugs times" test $fine = "$replugs"
end $producer
end $studio
"$BUILT/camo-producer" usb-gadget remove > /dev/null 2>&1
