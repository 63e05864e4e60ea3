# No permission, a device that another program has, and no device: three things that are said apart.
. "$(dirname "$0")/lib.sh"

cable
compose
device_end echo
waiting_for 5 test -e /sys/bus/usb/devices/1-1
node=/dev/bus/usb/001/$(printf %03d "$(cat /sys/bus/usb/devices/1-1/devnum)")

chmod 600 "$node"
: > /run/host.err
setpriv --reuid 65534 --regid 65534 --clear-groups "$PROBE" host echo > /run/host.out 2> /run/host.err &
host=$!
waiting_for 5 grep -q "failed:" /run/host.err
result=$(cat /run/host.err)
check_that "an ordinary user is told of the rule" grep -q "$node.*udev rule" <<<"$result"
ends $host

"$PROBE" host echo > /run/first.out 2> /run/first.err &
first=$!
waiting_for 5 grep -q "link over" /run/first.err
"$PROBE" host echo > /run/host.out 2> /run/host.err &
host=$!
waiting_for 5 grep -q "failed:" /run/host.err
result=$(cat /run/host.err)
check_that "who comes second is told that another program has it" grep -q "Another program has it" <<<"$result"
before=$(links host)
ends $first
check_that "and has it when that one has ended" waiting_for 6 has_links host $((before + 1))
ends $host

result=$("$PROBE" gadget:$functions echo 2>&1)
check_that "a second program for the gadget is told so" grep -q "Another program serves it" <<<"$result"
ends $device
result=$("$PROBE" gadget:/run/nothing echo 2>&1)
check_that "a gadget that is not set up is told so" grep -q "usb-gadget setup" <<<"$result"

# Two of a kind at one cable.
folder=/run/alike
mkdir -p $folder
begin studio --usb gadget --record $folder/device.mp4
device=$!
"$BUILT/camo-studio" --usb host --record $folder/host.mp4 --json --state-dir $folder/other.state > $folder/other 2>&1 &
host=$!
check_that "a studio with a studio at the other end says so" waiting_for 10 told other 'is a studio too.*run camo-producer'
check_that "and so does that one" waiting_for 10 told studio 'is a studio too.*run camo-producer'
end $host
end $device
"$BUILT/camo-producer" usb-gadget remove > /dev/null 2>&1
