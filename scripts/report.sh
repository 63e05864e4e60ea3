# Sourced by the scripts that run several parts: each part ends with one line, the whole with another.

parts_failed=0
parts_log=$(mktemp -d)
trap 'rm -rf "$parts_log"' EXIT

# part NAME COMMAND…: runs it, shows what it prints, and says how it ended and how long it took. What it skipped is
# repeated in that line with the reason: lines that begin with "skipped: ", and TAP's "# SKIP".
part() {
    local name=$1 start=$SECONDS status=0 log="$parts_log/$1"
    shift
    echo "== $name"
    "$@" 2>&1 | tee "$log" || status=${PIPESTATUS[0]}
    local skipped
    skipped=$(sed -nE 's/^skipped: /skipped: /p; s/^.* # SKIP /skipped: /p' "$log" | sort -u | paste -sd '|' | sed 's/|/; /g')
    if [ "$status" = 0 ]; then
        echo "-- $name: ok in $((SECONDS - start)) s${skipped:+; $skipped}"
    else
        parts_failed=$((parts_failed + 1))
        echo "-- $name: FAILED with $status after $((SECONDS - start)) s${skipped:+; $skipped}"
    fi
    return "$status"
}

# The closing line; its status is the script's.
parts_end() {
    if [ "$parts_failed" = 0 ]; then
        echo "-- all in $SECONDS s: ok"
    else
        echo "-- all in $SECONDS s: $parts_failed failed"
        return 1
    fi
}
