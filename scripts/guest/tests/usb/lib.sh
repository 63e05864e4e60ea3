# Sourced by the checks in this folder: a cable within the guest, from its own host controller to its own device
# controller (dummy_hcd), with udevd running (libusb hears of devices by it).

. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

PROBE=$BUILT/usb-probe
gadget=/sys/kernel/config/usb_gadget/camo
functions=/dev/usb-ffs/camo

# cable [OPTION…]: loads the controllers, with options of dummy_hcd: is_super_speed=1, is_high_speed=0.
cable() {
    rmmod dummy_hcd 2>/dev/null
    modprobe dummy_hcd "$@"
}

# compose: the programs' gadget, for root, with its FunctionFS at $functions.
compose() { within 20 "$BUILT/camo-producer" usb-gadget setup --user root --state-dir /run/gadget.state --quiet; }

plug_in() { ls /sys/class/udc | head -n 1 > $gadget/UDC; }
pull_out() { echo "" > $gadget/UDC; }

# device_end JOB…: usb-probe at the device's end, plugged in; what it says is in /run/device.out and .err.
device_end() {
    : > /run/device.out
    "$PROBE" gadget:$functions "$@" > /run/device.out 2> /run/device.err &
    device=$!
    waiting_for 5 grep -q ready /run/device.out && plug_in
}

# ends [-SIGNAL] PROCESS: ends it and waits.
ends() {
    kill "$@" 2>/dev/null
    wait "${!#}" 2>/dev/null
    true
}

# links END: how many links that end of the cable has had.
links() { grep -c "link over" "/run/$1.err" 2>/dev/null; }
has_links() { [ "$(links "$1")" -ge "$2" ]; }
