# What is written at one end of the cable arrives at the other, whatever its length, at each speed.
. "$(dirname "$0")/lib.sh"

messages=${MESSAGES:-$(rounds 300 10000)}

speed() {
    local name=$1
    shift
    cable "$@"
    compose
    device_end echo
    result=$(within 600 "$PROBE" host check "$messages" 2>/run/host.err | tail -n 1)
    read -r _ total _ wrong _ slowest <<<"$result"
    check_that "$name speed: messages of all lengths come back" test "${wrong:-1} ${total:-0}" = "0 $((63 + messages))"
    # There and back; 64 KiB take 60 ms of it at full speed.
    check_that "$name speed: each at once" test "${slowest:-1000000}" -lt $((2 * 50000 * slowness))
    ends $device
}

speed full is_high_speed=0
speed high
speed super is_super_speed=1
