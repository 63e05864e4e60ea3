# Another program has nearly all of the memory that the kernel lends to USB programs (usbfs).
. "$(dirname "$0")/lib.sh"

parameter=/sys/module/usbcore/parameters/usbfs_memory_mb
cable
compose
usual=$(cat $parameter)
device_end echo
waiting_for 5 test -e /sys/bus/usb/devices/1-1

# taken BYTES: another program maps so much of usbfs's memory (mmap(2) of a device's file), until it is killed.
taken() {
    perl -e '$| = 1; open my $hub, "+<", "/dev/bus/usb/001/001" or die; my $left = shift;
        for (my $size = 262144; $size >= 4096; $size /= 2) {
            while ($left >= $size + 512) {
                my $at = syscall 9, 0, $size, 3, 1, fileno $hub, 0; last if $at == -1; $left -= $size + 512 } }
        print "taken\n"; sleep 1000' "$1" > /run/taken &
    other=$!
    waiting_for 5 grep -q taken /run/taken
}

echo 1 > $parameter
taken $((1048576 - 60000))
: > /run/host.err
result=$(within 60 "$PROBE" host check 20 2>>/run/host.err | tail -n 1)
read -r _ total _ wrong _ <<<"$result"
check_that "a host with memory for three transfers has a link" test "${wrong:-1} ${total:-0}" = "0 83"
ends $other

taken 1048576
"$PROBE" host check 20 > /run/host.out 2>> /run/host.err &
host=$!
waiting_for 5 grep -q "failed:" /run/host.err
result=$(cat /run/host.err)
check_that "a host with memory for none says what to do" grep -q "tee $parameter" <<<"$result"
ends $other
check_that "and has a link when there is some" waiting_for 8 has_links host 2
ends $host
ends $device
echo "$usual" > $parameter
