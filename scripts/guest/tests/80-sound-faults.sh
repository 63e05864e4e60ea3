# Sound is interrupted, and the card goes.
. "$(dirname "$0")/lib.sh"

sound_card
play 0 48000 2 float32 40
probe_begin sound hw:Loopback,1,0
sleep 1
kill -STOP $probe_id
began=$EPOCHREALTIME
sleep 3
kill -CONT $probe_id
halt=$(awk -v a="$began" -v b="$EPOCHREALTIME" 'BEGIN { print (b - a) * 1000 }')
sleep 2
probe_end TERM
play_end
check "after a halt of 3 s the sound is back" \
    'overruns >= 1 && interruptions1 == "overrun" && tones1 > 995 && tones1 < 1005 && lost == "" && hasStopped'
check "the gap is as long as what is missing" \
    "missingMilliseconds > $halt - 500 && missingMilliseconds < $halt + 100 * slowness"
check "and the time line has it" \
    'timedMilliseconds - countedMilliseconds - missingMilliseconds < 20 \
    && countedMilliseconds + missingMilliseconds - timedMilliseconds < 20 \
    && wallMilliseconds - timedMilliseconds < 100 * slowness && mostOverlap < 1'

probe_begin sound hw:Loopback,1,3
probe sound hw:Loopback,1,3 --seconds 1
check "a device in use is busy" 'error == "busy"'
check_that "and its holder is named" says "device-probe \($probe_id\)"
probe_end TERM

driver=/sys/bus/platform/drivers/snd_aloop
probe_begin sound hw:Loopback,1,4
# The kernel lets go of the card when the last program has.
echo snd_aloop.0 > $driver/unbind &
unbind=$!
probe_end
check "a card that goes is a loss" 'lost == "disconnected" && hasStopped && samples > 0'
wait $unbind
echo snd_aloop.0 > $driver/bind
waiting_for 5 test -e /dev/snd/pcmC0D1c
probe sound hw:Loopback,1,0 --seconds 1
check "and captures again when it is back" 'samples > 0 && lost == ""'
rmmod snd-aloop
