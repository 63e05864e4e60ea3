# The gadget that root composes for an ordinary user: what the host sees of it, that the user serves it, and that it is
# composed and removed from any state.
. "$(dirname "$0")/lib.sh"

folder=/run/gadget
mkdir -p $folder /run/tester
getent passwd tester >/dev/null || echo 'tester:x:4711:4711::/run/tester:/bin/sh' >> /etc/passwd
chown 4711:4711 /run/tester
install -d -o nobody -m 700 /run/nobody
as_user=(setpriv --reuid 4711 --regid 4711 --clear-groups env HOME=/run/tester)

# gadget WORD…: the command; what it says is in $result, its exit code in $status.
gadget() {
    result=$(within 20 "$BUILT/camo-producer" usb-gadget "$@" 2>&1)
    status=$?
}

# ends_with CODE PATTERN: how the last command ended.
ends_with() { [ $status = "$1" ] && says "$2"; }

# serve: the user is the device.
serve() {
    : > /run/device.out
    "${as_user[@]}" "$PROBE" gadget echo > /run/device.out 2> /run/device.err &
    device=$!
    waiting_for 5 grep -q ready /run/device.out
}

# device_there: finds the device, in $node.
device_there() {
    local vendor
    for vendor in /sys/bus/usb/devices/*-1/idVendor; do
        [ -e "$vendor" ] || continue
        node=${vendor%/idVendor}
        [ "$(cat "$vendor")" = 1d6b ] && [ -e "$node/$(basename "$node"):1.0/bInterfaceClass" ] && return
    done
    return 1
}
no_device() { ! device_there; }
off_the_cable() { [ -z "$(cat $gadget/UDC)" ]; }

attribute() { cat "$node/$1"; }
has() { [ "$(attribute "$1")" = "$2" ]; }

nothing_left() {
    [ ! -e $gadget ] && [ ! -e $functions ] && [ ! -e /run/camo-usb-gadget ] && ! grep -q '^camo .* functionfs' /proc/mounts
}

# runs_at MEGABITS SIZE: the speed of the device, and the size of its packets.
runs_at() {
    device_there && has speed "$1" && [ "$(cat "$node"/*:1.0/ep_*/wMaxPacketSize | sort -u)" = "$2" ]
}

mkdir -p /run/udev/rules.d
cp "$(dirname "$0")/../../../../packaging/udev/70-camo-usb.rules" /run/udev/rules.d/
udevadm control --reload
cable
modprobe libcomposite

result=$("${as_user[@]}" "$BUILT/camo-producer" usb-gadget setup 2>&1)
status=$?
check_that "an ordinary user is told to use sudo" ends_with 77 "sudo .*camo-producer usb-gadget setup --user tester"
# Another check in this boot may have composed it.
gadget remove
gadget remove
check_that "there is nothing to remove" ends_with 0 "There was no USB gadget"

gadget setup --user tester --json
check_that "it is composed for a user" ends_with 0 '"event":"usbGadgetReady"'
serial=$(grep -oE '"serial":"[0-9a-f]{16}"' <<<"$result" | grep -oE '[0-9a-f]{16}')
check_that "the user owns the key, the FunctionFS and the plug" \
    test "$(stat -c %u:%a /run/tester/.local/state/camo-producer/identity.pem $functions $functions/ep0 | tr '\n' ' ')$(stat -c %u $gadget/UDC)" \
    = "4711:600 4711:500 4711:600 4711"

serve
check_that "the user serves it and plugs it in" waiting_for 5 device_there
device_there
check_that "its serial number is the user's device" has serial "$serial"
check_that "its strings" test "$(attribute manufacturer) $(attribute product)" = "camo-producer camo link"
check_that "500 mA by the cable" test "$(attribute bMaxPower) $(attribute bmAttributes)" = "500mA 80"
check_that "the interface" \
    test "$(cd "$node/$(basename "$node"):1.0" && cat bInterfaceClass bInterfaceSubClass bInterfaceProtocol interface | tr '\n' ' ')" \
    = "ff 43 01 camo link 1 "

# Control requests by usbfs (linux/usbdevice_fs.h, USBDEVFS_CONTROL).
result=$(python3 - "/dev/bus/usb/$(printf %03d/%03d "$(attribute busnum)" "$(attribute devnum)")" 2>&1 <<'END'
import ctypes, fcntl, struct, sys
def ask(file, kind, request, value, index, length):
    buffer = ctypes.create_string_buffer(length)
    call = bytearray(
        struct.pack("BBHHHIxxxxQ", kind, request, value, index, length, 5000, ctypes.addressof(buffer)))
    count = fcntl.ioctl(file, 0xC0185500, call)
    return buffer.raw[:count]
with open(sys.argv[1], "r+b", buffering=0) as file:
    # String 0xEE, then the extended compat ID by the code in it.
    name = ask(file, 0x80, 6, 0x03EE, 0, 18)
    print(name[2:16].decode("utf-16-le"), end=" ")
    print(ask(file, 0xC0, name[16], 0, 4, 40)[18:24].decode())
END
)
check_that "Windows is told to take WinUSB" test "$result" = "MSFT100 WINUSB"

setpriv --reuid 4712 --regid 4712 --groups plugdev "$PROBE" host echo > /run/host.out 2> /run/host.err &
host=$!
check_that "an ordinary user of the group plugdev is the host" waiting_for 5 has_links host 1
gadget setup --user tester
check_that "done again while it is served it says the same" ends_with 0 "tester can be the device on the cable at dummy_udc.0"
sleep 1
check_that "and the link has not noticed" test "$(links host) $(grep -c "is over" /run/host.err)" = "1 0"
gadget setup --user nobody --state-dir /run/nobody
check_that "another user's program that serves it is in the way" ends_with 75 "end that program"
check_that "and the link has not noticed that either" test "$(links host) $(grep -c "is over" /run/host.err)" = "1 0"
ends -9 $device
waiting_for 5 off_the_cable
serve
check_that "a program that is killed and started again plugs it in again" waiting_for 5 has_links host 2
ends $host

result=$(setpriv --reuid 65534 --regid 65534 --clear-groups "$PROBE" gadget echo 2>&1)
check_that "a third user is told whose it is" says "Set it up for this user: sudo camo-producer usb-gadget setup"

gadget remove
check_that "it is removed while it is served" ends_with 0 "The USB gadget is removed"
check_that "the host has lost it" waiting_for 5 no_device
check_that "nothing is left of it" nothing_left
gadget remove
check_that "and there is nothing more to remove" ends_with 0 "There was no USB gadget"
gadget setup --user tester
check_that "composed anew it is served by the program that still runs" waiting_for 5 device_there
ends $device

# mended TEXT: setup, and it is served; then it is removed.
mended() {
    gadget setup --user tester
    serve
    check_that "$1: composed" waiting_for 5 device_there
    ends $device
    gadget remove
    check_that "$1: removed" nothing_left
}

gadget setup --user tester
umount $functions
echo 0x1234 > $gadget/idVendor
rm $gadget/os_desc/c.1
mended "unmounted, of another vendor, without a link"
gadget setup --user tester
rm $gadget/configs/c.1/ffs.camo
rmdir $gadget/functions/ffs.camo
chown 0 $gadget/UDC
mended "without its function, the old one mounted"

# Another gadget, with a FunctionFS of its own.
other=/sys/kernel/config/usb_gadget/other
mkdir -p $other/configs/c.1 $other/functions/ffs.other /run/other
ln -s $other/functions/ffs.other $other/configs/c.1/
mount -t functionfs other /run/other
"$PROBE" gadget:/run/other echo > /run/device.out 2> /run/device.err &
device=$!
waiting_for 5 grep -q ready /run/device.out
echo dummy_udc.0 > $other/UDC
gadget setup --user tester
check_that "a controller that another gadget has is said with its name" ends_with 75 "dummy_udc.0 is in use by the gadget other"
check_that "and nothing is made" nothing_left
ends $device
gadget setup --user tester --udc dummy_udc.0
check_that "it is had when that one has ended" ends_with 0 "at dummy_udc.0"
gadget setup --user tester --udc nothing.0
check_that "a controller that is not there is said with those that are" ends_with 69 "There is: dummy_udc.0"
umount /run/other

# The speeds of the three sets of descriptors.
while read -r option speed size; do
    cable $option
    serve
    check_that "at $speed Mb/s packets of 0x$size bytes" waiting_for 5 runs_at "$speed" "$size"
    ends $device
done <<'END'
is_high_speed=0 12 0040
is_high_speed=1 480 0200
is_super_speed=1 5000 0400
END

serve
waiting_for 5 device_there
rmmod dummy_hcd
check_that "a controller that goes takes the device with it" waiting_for 5 no_device
modprobe dummy_hcd
check_that "and is served again when it is back" waiting_for 10 device_there
ends $device
rmmod dummy_hcd
result=$("${as_user[@]}" "$PROBE" gadget echo 2>&1)
check_that "a program is told that there is no controller" says "no USB device controller.*dtoverlay=dwc2"
gadget setup --user tester
check_that "and so is who sets it up" ends_with 69 "no USB device controller.*dtoverlay=dwc2"
gadget remove
check_that "without one it can be removed" nothing_left
