# One camera, several programs: who holds it is said, and it is free after every end of a capture.
. "$(dirname "$0")/lib.sh"

camera webcam
probe_begin video /dev/video0 --size 320x180
probe video /dev/video0 --size 640x360 --seconds 1
check "a camera in use is busy" 'error == "busy"'
check_that "and its holder is named" says "in use by device-probe \($probe_id\)"
result=$(within 10 "$BUILT/camo-producer" photo /run/busy.png 2>&1)
check_that "which has an exit code of its own" test $? = 75
check_that "and a sentence" says "in use by device-probe \($probe_id\)"
probe_end KILL

for signal in TERM KILL TERM KILL; do
    probe_begin video /dev/video0 --size 320x180
    probe_end $signal
done
probe video /dev/video0 --size 640x360 --seconds 1
check "it is free after captures that were ended and killed" 'frames >= 5 && lost == ""'
rmmod vivid
