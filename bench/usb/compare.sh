# Run in the guest by scripts/guest/bench-usb: three rounds of each in turns: ours, the loop's, and those of the loop that
# copies each byte once at either end, as the link does.
. "$(dirname "$0")/../../scripts/guest/tests/usb/lib.sh"

bytes=${BYTES:-100000100} pings=${PINGS:-200} rounds=${ROUNDS:-3}
# A whole number of packets would leave the last read of the loop waiting.
cable
compose

# measured LABEL SIDE DEVICE-JOB HOST-JOB…: adds the number that the host's end says to /run/LABEL.
measured() {
    local label=$1 side=$2 job=$3
    shift 3
    : > /run/device.out
    local copy=
    [ "$side" != copying ] || copy=copy
    if [ "$side" = ours ]; then
        # shellcheck disable=SC2086
        "$PROBE" gadget:$functions $job > /run/device.out 2> /run/device.err &
    else
        # shellcheck disable=SC2086
        "$BUILT/usb-loop-device" $functions $job $copy > /run/device.out 2> /run/device.err &
    fi
    device=$!
    waiting_for 5 grep -q ready /run/device.out
    plug_in
    local host=("$BUILT/usb-loop-host")
    [ "$side" != ours ] || host=("$PROBE" host)
    # shellcheck disable=SC2086
    result=$(within 60 "${host[@]}" "$@" $copy 2>/run/host.err; cat /run/device.out)
    sleep 1
    ends $device
    grep -ohE '(PerSecond|Microseconds) [0-9.]+' <<<"$result $(cat /run/device.out)" | tail -n 1 | cut -d' ' -f2 >> "/run/$label"
}

for _ in $(seq $rounds); do
    measured out-ours ours "take $bytes" send $bytes
    measured out-loop loop "take $bytes" send $bytes
    measured out-copying copying "take $bytes" send $bytes
    measured in-ours ours "send $bytes" take $bytes
    measured in-loop loop "send $bytes" take $bytes
    measured in-copying copying "send $bytes" take $bytes
    measured ping-ours ours ack ping $pings
    measured ping-loop loop "ack 20000" ping 20000 $pings
    measured ping-copying copying "ack 20000" ping 20000 $pings
done

middle() { sort -n "/run/$1" | sed -n $(((rounds + 1) / 2))p; }
ratio() { awk -v a="$(middle "$1")" -v b="$(middle "$2")" 'BEGIN { printf "%.2f", a / b }'; }
row() {
    echo "| $1 | $(middle "$2-ours") | $(middle "$2-loop") | $(ratio "$2-ours" "$2-loop") | $(middle "$2-copying")" \
        "| $(ratio "$2-ours" "$2-copying") |"
}
echo "| median of $rounds | USB link | bare loop | ratio | loop that copies | ratio |"
echo "|---|---|---|---|---|---|"
row "host to device, MB/s" out
row "device to host, MB/s" in
row "20 KB there, 8 bytes back, median, µs" ping
