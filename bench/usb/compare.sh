# Run in the guest by scripts/guest/bench-usb: three rounds of each, ours and the loop's in turns.
. "$(dirname "$0")/../../scripts/guest/tests/usb/lib.sh"

bytes=${BYTES:-20000000} pings=${PINGS:-200} rounds=${ROUNDS:-3}
cable
compose

# measured LABEL SIDE DEVICE-JOB HOST-JOB…: adds the number that the host's end says to /run/LABEL.
measured() {
    local label=$1 side=$2 job=$3
    shift 3
    : > /run/device.out
    if [ "$side" = ours ]; then
        # shellcheck disable=SC2086
        "$PROBE" gadget:$functions $job > /run/device.out 2> /run/device.err &
    else
        # shellcheck disable=SC2086
        "$BUILT/usb-loop-device" $functions $job > /run/device.out 2> /run/device.err &
    fi
    device=$!
    waiting_for 5 grep -q ready /run/device.out
    plug_in
    local host=("$BUILT/usb-loop-host")
    [ "$side" = loop ] || host=("$PROBE" host)
    result=$(within 60 "${host[@]}" "$@" 2>/run/host.err; cat /run/device.out)
    sleep 1
    ends $device
    grep -ohE '(PerSecond|Microseconds) [0-9.]+' <<<"$result $(cat /run/device.out)" | tail -n 1 | cut -d' ' -f2 >> "/run/$label"
}

for _ in $(seq $rounds); do
    measured out-ours ours "take $bytes" send $bytes
    measured out-loop loop "take $bytes" send $bytes
    measured in-ours ours "send $bytes" take $bytes
    measured in-loop loop "send $bytes" take $bytes
    measured ping-ours ours ack ping $pings
    measured ping-loop loop "ack 20000" ping 20000 $pings
done

middle() { sort -n "/run/$1" | sed -n $(((rounds + 1) / 2))p; }
row() { echo "| $1 | $(middle "$2-ours") | $(middle "$2-loop") | $(awk -v a="$(middle "$2-ours")" -v b="$(middle "$2-loop")" 'BEGIN { printf "%.2f", a / b }') |"; }
echo "| median of $rounds | USB link | bare loop | ratio |"
echo "|---|---|---|---|"
row "host to device, MB/s" out
row "device to host, MB/s" in
row "20 KB there, 8 bytes back, median, µs" ping
