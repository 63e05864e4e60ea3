# Sourced by test-devices and test-usb, after able.sh, in the folder of the repository.

. scripts/guest/tests/numbered.sh

# in_guests OPTION… -- CHECK…: runs the checks in guests that `run` is given these options for: two guests at a time, which
# share the checks, then one for those that say that they want to be alone (`# Alone: `). Its status is 1 where one has
# failed. With CAMO_SOAK set, as scripts/soak does, at full length and all of them alone.
in_guests() {
    local options=() limit=900 shared=() alone=() claims check
    while [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    shift
    [ -z "${CAMO_SOAK-}" ] || limit=3600
    for check in "$@"; do
        if [ -n "${CAMO_SOAK-}" ] || [ $# = 1 ] || grep -q '^# Alone: ' "$check"; then
            alone+=("$(readlink -f "$check")")
        else
            shared+=("$(readlink -f "$check")")
        fi
    done
    claims=$(mktemp -d)
    {
        # Groups of their own, so that an interruption here ends them with all that they have started.
        set -m
        trap 'kill -- $(jobs -p | sed "s/^/-/") 2>/dev/null || true; rm -rf "$claims"' EXIT
        if [ ${#shared[@]} -gt 0 ]; then
            # One each: two guests with two would get in each other's way, and take half as long again.
            for _ in 1 2; do guest 1 "${shared[@]}" </dev/null & done
            wait
        fi
        if [ ${#alone[@]} -gt 0 ]; then
            guest 2 "${alone[@]}" </dev/null &
            wait
        fi
    } | numbered
}

# guest PROCESSORS CHECK…: boots one, for those of the checks that no other has claimed. What a check says comes out in
# one piece, when it has ended.
guest() {
    local processors=$1
    shift
    scripts/guest/run "${options[@]}" -v -s "$processors" -t $limit -o "$claims" -e "CAMO_SOAK=${CAMO_SOAK-}" -- \
        scripts/guest/tests/all "$PWD/.build/release" "$@" || {
        # 1: a check has failed, which is told.
        status=$?
        [ $status = 1 ] || echo "not ok - the guest ended with $status"
    } | in_pieces
}

in_pieces() {
    local line text=''
    while IFS= read -r line; do
        text+=$line$'\n'
        [[ $line =~ ^#\ [0-9]+\ s$ ]] || continue
        printf %s "$text"
        text=''
    done
    printf %s "$text"
}
