# Sourced by the checks in this folder: a cable within the guest, from its own host controller to its own device
# controller (dummy_hcd), with udevd running (libusb hears of devices by it).

. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

PROBE=$BUILT/usb-probe
gadget=/sys/kernel/config/usb_gadget/camo
functions=/run/camo-usb

# cable [OPTION…]: loads the controllers, with options of dummy_hcd: is_super_speed=1, is_high_speed=0.
cable() {
    rmmod dummy_hcd 2>/dev/null
    modprobe dummy_hcd "$@"
    modprobe libcomposite
    modprobe usb_f_fs
    mountpoint -q /sys/kernel/config || mount -t configfs none /sys/kernel/config
}

# compose: a gadget with one FunctionFS, mounted at $functions.
compose() {
    [ -d $gadget ] && return
    mkdir -p $gadget
    echo 0x1d6b > $gadget/idVendor
    echo 0x0104 > $gadget/idProduct
    echo 0x0320 > $gadget/bcdUSB
    mkdir -p $gadget/strings/0x409 $gadget/configs/c.1/strings/0x409 $gadget/functions/ffs.camo
    echo 0001 > $gadget/strings/0x409/serialnumber
    echo camo > $gadget/strings/0x409/manufacturer
    echo "Camera" > $gadget/strings/0x409/product
    echo camera > $gadget/configs/c.1/strings/0x409/configuration
    ln -s $gadget/functions/ffs.camo $gadget/configs/c.1/
    mkdir -p $functions
    mount -t functionfs camo $functions
}

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
