# Sourced by `test` and `soak`: runs the tests that were built.

# test_rounds LOG [OPTION…]: all tests, in three rounds, so that what keeps the processor busy does not starve what has
# deadlines: first what only computes, then what waits for sockets and threads, one at a time, then real processes.
# The options go to `swift test`.
test_rounds() {
    local log=$1 failed=0 waiting='TransportCoreTests|StudioKitTests|ProducerKitTests|DeviceCoreTests|PortingTests'
    shift
    test_round "$log" "$@" --skip "$waiting|EndToEndTests" || failed=1
    test_round "$log" "$@" --no-parallel --filter "$waiting" || failed=1
    # For AddressSanitizer: a program ends with its threads at work, and what those hold is no leak; and what it keeps
    # of freed memory is not to count as the program's.
    ASAN_OPTIONS=detect_leaks=0:quarantine_size_mb=16 test_round "$log" "$@" --filter EndToEndTests || failed=1
    return $failed
}

# What was skipped and why, and Swift Testing's own closing line; all of it where something failed.
test_round() {
    local log=$1 status
    shift
    swift test --skip-build "$@" >"$log" 2>&1
    status=$?
    if [ $status != 0 ]; then
        cat "$log"
    else
        sed -nE 's/^.*(Test|Suite) (.*) skipped: "?([^"]*)"?$/skipped: \2: \3/p' "$log"
        tail -n 1 "$log"
    fi
    return $status
}
