# Sourced by `all` and `test-devices`.

# numbered: gives the checks on standard input their numbers, as they come, whatever numbers they had, and the plan at
# the end. Its status is 1 where one has failed, or there was none. No awk: Debian's reads 4 KiB ahead.
numbered() {
    local line result rest count=0 failed=0
    while IFS= read -r line; do
        if [[ $line =~ ^(not\ ok|ok)\ +([0-9]+\ +)?(.*) ]]; then
            result=${BASH_REMATCH[1]} rest=${BASH_REMATCH[3]}
            [ "$result" = ok ] || failed=1
            line="$result $((++count)) $rest"
        elif [[ $line =~ ^1\.\.[0-9] ]]; then
            continue
        fi
        printf '%s\n' "$line"
    done
    echo "1..$count"
    [ $failed = 0 ] && [ $count -gt 0 ]
}
