# A kernel that has no asynchronous requests for us: one at a time does the same.
. "$(dirname "$0")/lib.sh"

sysctl -qw fs.aio-max-nr=0
cable
compose
device_end echo
: > /run/host.err
result=$(within 60 "$PROBE" host check "${MESSAGES:-100}" 2>>/run/host.err | tail -n 1)
read -r _ total _ wrong _ <<<"$result"
check_that "without AIO: messages of all lengths come back" test "${wrong:-1} ${total:-0}" = "0 $((63 + ${MESSAGES:-100}))"

"$PROBE" host check 100000000 > /run/host.out 2>> /run/host.err &
host=$!
waiting_for 5 has_links host 2
fine=0
for round in 1 2 3; do
    pull_out
    waiting_for 5 test ! -e /sys/bus/usb/devices/1-1
    plug_in
    waiting_for 3 has_links host $((round + 2)) && fine=$((fine + 1))
done
check_that "without AIO: a cable that is put in again gives a link again, 3 times" test $fine = 3
ends -9 $host
before=$(links host)
"$PROBE" host check 100000000 > /run/host.out 2>> /run/host.err &
host=$!
check_that "without AIO: a host's program that is killed and started again gets a link" \
    waiting_for 3 has_links host $((before + 1))
ends $host
ends $device
sysctl -qw fs.aio-max-nr=65536
