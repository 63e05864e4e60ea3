# The studio plays: what a microphone hears at one end is heard on a sound card at the other.
# Alone: plays to a clock, on an emulated processor.
. "$(dirname "$0")/lib.sh"

folder=/run/loudspeaker
driver=/sys/bus/platform/drivers/snd_aloop

paired
result=$("$BUILT/camo-studio" --alsa default --connect 127.0.0.1:5700 --state-dir $folder/studio.state 2>&1)
check_that "without a sound card the command ends" test $? = 66
check_that "with one line" test "$(wc -l <<<"$result")" = 1

# The other end, without a card too: one line, and the picture goes on.
begin producer --test-pattern --size 64x36 --fps 5 --alsa default --port 5700 --no-advertise
producer=$!
waiting_for 10 told producer '"started"'
within 15 "$BUILT/camo-studio" snapshot $folder/picture.png --connect 127.0.0.1:5700 --state-dir $folder/studio.state \
    2>/dev/null
check_that "without a microphone the picture goes on" test $? = 0 -a -s $folder/picture.png
end $producer

# The microphone's cable is 3, the loudspeaker's 0.
sound_card
result=$("$BUILT/camo-studio" doctor --state-dir $folder/studio.state 2>&1)
check_that "doctor names loudspeakers as --alsa takes them" says '^ok +loudspeakers: hw:CARD=Loopback,DEV=0 \(Loopback'
result=$("$BUILT/camo-studio" --alsa nonsense --connect 127.0.0.1:5700 --state-dir $folder/studio.state 2>&1)
check_that "a name that is none is refused with those there are" \
    says 'nonsense: there is no such sound device; there is default, hw:CARD=Loopback,DEV=0'
microphone() { play 3 48000 2 float32 $((60 * slowness)); }
microphone
begin producer --test-pattern --size 64x36 --fps 5 --alsa hw:Loopback,1,3 --sound lpcm --port 5700 --no-advertise
producer=$!
waiting_for 10 told producer '"started"'
begin studio --alsa hw:Loopback,0,0 --stats --connect 127.0.0.1:5700
studio=$!
waiting_for 20 told studio '"playback".*"samples":[1-9]'
check_that "sound is played" told studio '"playback".*"samples":[1-9]'

# hears NAME: the tone. How whole it is tells more of the emulated processor than of the studio; see below.
hears() {
    probe sound hw:Loopback,1,0 --seconds 2
    check "$1" 'peaks1 > 0.4 && peaks1 < 0.6'
}
hears "it is the microphone's tone"

# number NAME: of the event that was told last.
number() { grep '"playback"' $folder/studio | tail -n 1 | grep -oE "\"$1\":[0-9]+" | cut -d: -f2; }

# The microphone's clock is half a per cent off: followed, and nothing runs out for it. In scripts/soak alone: it takes
# two minutes, and a machine that has nothing else to do.
if [ -n "${CAMO_SOAK-}" ]; then
    # On an emulated processor some sound comes too late in any minute. A drift that is not followed uses up 50 ms every
    # ten seconds, and is heard as a gap for each ten of them.
    before=$(number underflows)
    sleep 60
    usual=$(($(number underflows) - before))
    amixer -q -c Loopback cset iface=PCM,name='PCM Rate Shift 100000',device=1,subdevice=3 100500
    sleep 10
    before=$(number underflows)
    sleep 60
    shifted=$(($(number underflows) - before))
    echo "# gaps in a minute: $usual, and $shifted while it is off"
    check_that "a microphone that is half a per cent off is followed: no more gaps than without" \
        test "$shifted" -le $((usual + 6))
    probe sound hw:Loopback,1,0 --seconds 2
    check "and its tone is whole" 'tones1 > 994 && tones1 < 1006'
    amixer -q -c Loopback cset iface=PCM,name='PCM Rate Shift 100000',device=1,subdevice=3 100000
fi

kill -STOP $studio
sleep 3
kill -CONT $studio
sleep 2
hears "after a halt of 3 s the sound is back"
check_that "and the halt is counted" test "$(number underruns)" -ge 1

# The kernel lets go of the card when the last program has.
end $producer
play_end
echo snd_aloop.0 > $driver/unbind &
unbind=$!
waiting_for 10 told studio 'no sound: .*the sound device has gone'
check_that "a card that goes is told, and the studio goes on" told studio 'no sound: .*the sound device has gone'
wait $unbind
echo snd_aloop.0 > $driver/bind
waiting_for 10 told studio 'sound is back'
check_that "and is played on when it is back" told studio 'sound is back'

end $studio
check_that "it ends in time" test $status = 0 -a $took -lt $((1000 * slowness))
rmmod snd-aloop
