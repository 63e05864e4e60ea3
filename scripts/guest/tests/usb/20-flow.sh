# Many bytes, one way and the other.
. "$(dirname "$0")/lib.sh"

bytes=${BYTES:-20000000}
cable
compose
for way in "take send" "send take"; do
    read -r here there <<<"$way"
    device_end $here $bytes
    host=$(within 60 "$PROBE" host $there $bytes 2>/run/host.err)
    wait $device
    result="$host $(cat /run/device.out)"
    check_that "the device ${here}s $bytes bytes: all there" grep -q "right true" <<<"$result"
    echo "# $(grep -o 'megabytesPerSecond.*' <<<"$result" | head -n 1)"
done
