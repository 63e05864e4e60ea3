# Sound in each format: the tones are the tones, whole and in time.
. "$(dirname "$0")/lib.sh"

sound_card
substream=0
# The player was first on the cable, so capture must take what it has.
for case in "48000 2 float32" "44100 1 int16" "44100 2 int16" "44100 1 int32" "48000 4 int16" "96000 8 int32"; do
    read -r rate channels format <<<"$case"
    play $substream "$rate" "$channels" "$format" 20
    probe sound "hw:Loopback,1,$substream" --seconds 1
    play_end
    last=$((900 + 100 * channels))
    check "$rate Hz, $channels channels, $format" "rate == $rate && channels == $channels && format == \"$format\" \
        && tones1 > 999 && tones1 < 1001 && tones$channels > $last - 1 && tones$channels < $last + 1 \
        && peaks1 > 0.45 && peaks1 < 0.55 && overruns == 0 && missingMilliseconds == 0 && hasStopped"
    check "$rate Hz, $channels channels, $format: the time is the samples' time" \
        "timedMilliseconds - countedMilliseconds < 20 && countedMilliseconds - timedMilliseconds < 20 \
        && wallMilliseconds - countedMilliseconds < 100 * slowness && mostOverlap < 1 && mostAge < 100 * slowness"
    substream=$((substream + 1))
done

# A converter that is one per cent slow: fewer samples in the same time, and the times say so.
play 7 48000 2 float32 20
amixer -q -c Loopback cset iface=PCM,name='PCM Rate Shift 100000',device=1,subdevice=7 101000
probe sound hw:Loopback,1,7 --seconds 3
play_end
check "a slow converter's samples last longer" \
    'timedMilliseconds / countedMilliseconds > 1.005 && timedMilliseconds / countedMilliseconds < 1.015 \
    && missingMilliseconds == 0'

probe sound hw:Loopback,1,0 --seconds 1
check "a cable without a player gives silence" 'samples > 0 && peaks1 == 0 && lost == ""'
probe sound hw:NoSuchCard,0 --seconds 1
check "an absent card is absent" 'error == "notFound"'
probe sound default --seconds 1
check "the default device captures" 'samples > 0 && lost == ""'
rmmod snd-aloop
