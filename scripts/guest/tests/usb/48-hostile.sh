# A hostile program at one end of the cable (hostile.py): garbage, chunks that promise more than comes, transfers of nothing,
# link after link, TLS that never ends, silence. Whatever it sends, the memory of the program at the other end stays as it
# was but for what threads and their heaps add, nothing is done where nothing is sent, and the next honest program is served.
. "$(dirname "$0")/lib.sh"

folder=/run/hostile
mkdir -p $folder
megabytes=$(rounds 8 80)

# attack_begins END KIND COUNT…: from that end of the cable; its process is $other.
attack_begins() {
    : > $folder/hostile
    within 120 "$(dirname "$0")/hostile.py" "$@" > $folder/hostile 2>&1 &
    other=$!
    [ "$1" = host ] || { waiting_for 20 grep -q ready $folder/hostile && plug_in; }
}

# resident PROCESS: its memory in KiB (proc(5)).
resident() { awk '/^VmRSS:/ { print $2 }' "/proc/$1/status"; }
# worked PROCESS: its processor time in milliseconds.
worked() { awk '{ print ($14 + $15) * 10 }' "/proc/$1/stat"; }

# withstands NAME PROCESS END LINKS: it is attacked from that end of the cable, over so many links of each kind.
withstands() {
    local name=$1 process=$2 end=$3 links=$4 before after idle
    attack_begins "$end" openings 2 noise 2 records 2 garbage 100 promises 20 empties 20
    wait $other
    before=$(resident "$process")
    # A host gives up on a device that sends nothing but garbage for long: that is the last.
    attack_begins "$end" openings "$links" noise "$links" records "$links" silence 4 \
        garbage $((megabytes * 122)) promises 200 empties 200
    waiting_for 30 grep -q ^records $folder/hostile
    sleep 1
    idle=$(worked "$process")
    sleep 2
    idle=$(($(worked "$process") - idle))
    wait $other
    after=$(resident "$process")
    result="$(cat $folder/hostile) $before KiB, $after KiB, $idle ms"
    echo "# $name: $(awk '{ sum += $3 } END { print sum }' $folder/hostile) bytes, $before KiB before, $after KiB after;" \
        "$idle ms of 2 s of silence"
    check_that "$name: all that is hostile has been sent" says '^all'
    check_that "$name: its memory stays as it was" test $((after - before)) -lt 8192
    check_that "$name: it rests while nothing is sent" test $idle -lt 400
    check_that "$name: it still runs" kill -0 "$process"
}

cable
compose
paired

begin producer --test-pattern --size 320x180 --fps 10 --no-advertise --usb gadget
producer=$!
waiting_for 10 told producer '"started"'
withstands "the producer, a device" $producer host $(rounds 40 400)
begin studio --usb host --record $folder/out.mp4
studio=$!
check_that "and an honest studio is served" waiting_for 10 told studio '"connected"'
end $producer

withstands "the studio, a host" $studio device $(rounds 4 40)
begin producer --test-pattern --size 320x180 --fps 10 --no-advertise --usb gadget
producer=$!
check_that "and an honest producer is watched" waiting_for 10 told studio '"connected"' 2
end $studio
end $producer
"$BUILT/camo-producer" usb-gadget remove > /dev/null 2>&1
