# A transfer that fails, and a device that can't be used for a while: one failure each time, and then a link again.
. "$(dirname "$0")/lib.sh"

cable
compose
device_end echo
: > /run/host.err
"$PROBE" host check 100000000 > /run/host.out 2>> /run/host.err &
host=$!
waiting_for 5 has_links host 1

# Going in the other direction than the endpoint halts it (Documentation/usb/functionfs.rst): the host's next transfer
# ends with a stall.
before=$(links host)
echo x > $functions/ep2 2>/dev/null
check_that "an endpoint that is halted gives a link again" waiting_for 3 has_links host $((before + 1))

# The kernel may put what is idle to sleep at once; not what a program has open.
before=$(links host)
echo 0 > /sys/bus/usb/devices/1-1/power/autosuspend_delay_ms
echo auto > /sys/bus/usb/devices/1-1/power/control
sleep 2
check_that "a device that may be put to sleep at once keeps its link" test "$(links host)" = "$before"

# As when the machine sleeps: all transfers end as if the device had gone, and it is still there afterwards. (The guest
# itself can't sleep: its root is on 9p.)
echo 0 > /sys/bus/usb/devices/1-1/authorized
sleep 1
echo 1 > /sys/bus/usb/devices/1-1/authorized
check_that "a device that could not be used for a while gives a link again" waiting_for 4 has_links host $((before + 1))
ends $host
result=$(within 60 "$PROBE" host check 20 2>/dev/null | tail -n 1)
read -r _ total _ wrong _ <<<"$result"
check_that "and every message comes back" test "${wrong:-1} ${total:-0}" = "0 83"
ends $device
