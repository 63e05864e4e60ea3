# Sourced by test-devices and test-usb: where QEMU cannot run at all their checks count as skipped, and the reason is
# said.

skip() {
    echo "1..0 # SKIP $*"
    exit 0
}
command -v qemu-system-x86_64 >/dev/null || skip "qemu-system-x86_64 is not installed"
[ "$(dpkg --print-architecture)" = amd64 ] || skip "the guest is made for amd64 only"
reason=$(timeout 60 qemu-system-x86_64 -nodefaults -display none -machine q35 -accel tcg -m 64 -S -monitor stdio \
    <<<quit 2>&1 >/dev/null) || skip "QEMU does not run here: ${reason:-no answer within 60 s}"
