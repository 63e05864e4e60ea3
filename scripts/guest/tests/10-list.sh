# Which nodes are cameras, and what is said of the others.
. "$(dirname "$0")/lib.sh"

# Two cameras, one of them with an output, both with a metadata node.
rmmod vivid 2>/dev/null
modprobe vivid n_devs=2 node_types=0x20101,0x20001 num_inputs=1,1 input_types=0x0,0x0
capture='' metadata='' output=''
for node in /dev/video*; do
    case $(v4l2-ctl -d "$node" --info | sed '1,/Device Caps/d') in
    *'Video Capture'*) capture+=${capture:+ }$node ;;
    *'Metadata Capture'*) metadata=$node ;;
    *'Video Output'*) output=$node ;;
    esac
done 2>/dev/null

probe list
listed=$(grep -oE '"path":"[^"]*"' <<<"$result" | cut -d'"' -f4 | xargs)
check_that "only nodes that capture pictures are listed" test "$listed" = "$capture"
check_that "the two cameras have different identities" says 'vivid-000:.*vivid-001:'

listing=$("$BUILT/camo-producer" list --json)
result=$(head -n 1 <<<"$listing")
check_that "so does the command, and the first line says what it is written by" \
    says '^\{"schema":1,"event":"camera","id":"bus:platform:vivid-000:0","name":"vivid"'
check_that "with formats, sizes and rates" \
    says '\{"format":"yuyv","code":"YUYV","width":640,"height":360,"framesPerSecond":\[[0-9.,]*25'
result=$listing
check_that "and no node twice" test "$(grep -oE '"path":"[^"]*"' <<<"$result" | cut -d'"' -f4 | xargs)" = "$capture"

probe video "$metadata"
check "a metadata node is refused" 'error == "notACaptureDevice"'
check_that "and called by its name" says "$metadata: it carries a camera's metadata"
probe video "$output"
check "an output is refused" 'error == "notACaptureDevice"'
probe video /dev/video77
check "an absent camera is absent" 'error == "notFound"'

first=${capture%% *}
refused() {
    result=$(setpriv --reuid 65534 --regid 65534 --clear-groups "$PROBE" "$@" 2>/dev/null)
    status=$?
}
chown root:video "$first"
chmod 0660 "$first"
refused video "$first"
check "a node without permission is told from an absent one" 'error == "permissionDenied"'
check_that "with the group to join" says 'root:video \(0660\); join the group \(sudo usermod -aG video'
chmod 0600 "$first"
refused list
check_that "or with a udev rule where no group may, and the list has it as a problem" \
    says '"error":"permissionDenied".*root:video \(0600\); .*udev rule'
rmmod vivid
