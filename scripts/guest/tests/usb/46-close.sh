# Either end lets go of the cable, or the cable is pulled, at random moments in the middle of transfers; with a usb-probe
# that was built with AddressSanitizer, at both ends.
. "$(dirname "$0")/lib.sh"

PROBE=${BUILT%/*}/address-release/release/usb-probe
# A program ends with its threads at work, and what those hold is no leak.
export ASAN_OPTIONS=detect_leaks=0

rounds=${ROUNDS:-$(rounds 30 200)}
cable
compose

# closed END FILE: all rounds ended well, each within a second, and most had a link.
closed() {
    local count links slowest
    read -r _ count _ links _ slowest < <(grep closed "$2")
    result="$(cat "$2") $(tail -n 20 "${2%.out}.err")"
    check_that "$1 $rounds times: all transfers end" test "${count:-0}" = "$rounds"
    check_that "$1 $rounds times: within a second" test "${slowest:-9999999}" -lt $((1000000 * slowness))
    check_that "$1 $rounds times: links in between" test "${links:-0}" -ge $((rounds / 10))
}

# unharmed END…: AddressSanitizer has found nothing there.
unharmed() {
    local end
    for end; do
        result=$(grep -A 30 AddressSanitizer "/run/$end.err")
        check_that "the $end uses no memory that it has let go of" test -z "$result"
    done
}

device_end echo
: > /run/host.err
within $((rounds * 2 + 20)) "$PROBE" host churn "$rounds" > /run/host.out 2> /run/host.err
closed "the host lets go" /run/host.out
unharmed host

"$PROBE" host churn "$rounds" > /run/host.out 2> /run/host.err &
host=$!
while kill -0 $host 2>/dev/null; do
    sleep 0.$((RANDOM % 10))
    pull_out 2>/dev/null
    sleep 0.$((RANDOM % 3))
    plug_in 2>/dev/null
done
wait $host
status=$?
result="$(cat /run/host.out) $(tail -n 20 /run/host.err)"
check_that "the cable is pulled at random: the host ends each round" grep -q "closed $rounds" <<<"$result"
unharmed host device
ends $device

"$PROBE" host echo > /run/host.out 2> /run/host.err &
host=$!
"$PROBE" gadget:$functions churn "$rounds" > /run/device.out 2> /run/device.err &
device=$!
# It is off the cable each time that it lets go.
while kill -0 $device 2>/dev/null; do
    [ -n "$(cat $gadget/UDC)" ] || plug_in 2>/dev/null
    sleep 0.05
done
wait $device
closed "the device lets go" /run/device.out
ends $host
unharmed host device
