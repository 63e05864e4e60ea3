# Once a link runs nothing is allocated for a transfer, at either end.
. "$(dirname "$0")/lib.sh"

transfer=16384
few=${FEW:-4000000} many=${MANY:-24000000}
cable
compose

# allocations END JOB BYTES THERE: how often usb-probe allocates at one end of the cable while so many bytes go over it, in
# $count; the other end does THERE.
allocations() {
    local end=$1 job=$2 bytes=$3 there=$4
    local counter=(env LD_PRELOAD="$BUILT/count-allocations.so")
    : > /run/device.out
    if [ "$end" = device ]; then
        "${counter[@]}" "$PROBE" gadget:$functions "$job" "$bytes" > /run/device.out 2> /run/count &
    else
        "$PROBE" gadget:$functions "$there" "$bytes" > /run/device.out 2> /run/device.err &
    fi
    device=$!
    waiting_for 5 grep -q ready /run/device.out && plug_in
    if [ "$end" = device ]; then
        within 60 "$PROBE" host "$there" "$bytes" > /run/host.out 2> /run/host.err
    else
        within 60 "${counter[@]}" "$PROBE" host "$job" "$bytes" > /run/host.out 2> /run/count
    fi
    wait $device
    result=$(cat /run/host.out /run/device.out /run/count)
    count=$(sed -nE 's/^allocations ([0-9]+) .*/\1/p' /run/count)
}

for end in host device; do
    for way in "take send" "send take"; do
        read -r job there <<<"$way"
        allocations $end $job $few $there
        first=${count:-0}
        allocations $end $job $many $there
        # Until the link is there some hundred more or fewer, by how soon the device is found.
        more=$((${count:-1000000} - first)) transfers=$(((many - few) / transfer))
        check_that "the $end ${job}s without allocating for each transfer" \
            test "$first" -gt 0 -a $((3 * more)) -lt $transfers
        echo "# $more allocations for $transfers transfers"
    done
done
