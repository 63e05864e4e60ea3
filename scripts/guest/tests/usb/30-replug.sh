# The cable is pulled out and put in again, in the middle of messages; either program is killed and started again.
. "$(dirname "$0")/lib.sh"

rounds=${ROUNDS:-$(rounds 4 20)}

host_end() {
    "$PROBE" host check 100000000 > /run/host.out 2>> /run/host.err &
    host=$!
}

# comes_back TEXT COMMAND…: after each time that the command is done to it there is a link again.
comes_back() {
    local text=$1 fine=0 round before
    shift
    for round in $(seq "$rounds"); do
        before=$(links host)
        sleep 0.$((round % 10))
        "$@"
        waiting_for 3 has_links host $((before + 1)) && fine=$((fine + 1))
    done
    check_that "$text, $rounds times" test $fine = "$rounds"
}

replug() {
    pull_out
    waiting_for 5 test ! -e /sys/bus/usb/devices/1-1
    plug_in
}

restart_host() {
    ends -9 $host
    host_end
}

restart_device() {
    ends -9 $device
    device_end echo
}

cable
compose
: > /run/host.err
device_end echo
host_end
waiting_for 5 has_links host 1

comes_back "a cable that is put in again gives a link again" replug
comes_back "a host's program that is killed and started again gets a link" restart_host
comes_back "a device's program that is killed and started again gives a link" restart_device

# Whatever was left in the pipe: had any of it been taken for a message, an answer would have been wrong.
ends $host
result=$(within 60 "$PROBE" host check 50 2>/dev/null | tail -n 1)
read -r _ total _ wrong _ <<<"$result"
check_that "after all that every message comes back" test "${wrong:-1} ${total:-0}" = "0 113"
ends $device
