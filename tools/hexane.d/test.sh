# test.sh -- what CI runs: lint, the build, and the tests of each ctest label, each within a time budget. One that is over its budget
# is stopped and has failed: a suite that grows slowly is noticed where it grows.

# In the order in which they run: what is quick and basic first. Budgets are seconds on a machine with two cores, with room
# for a busy one; all parts together take about 25 minutes there.
test_parts=(lint build device arm64 host front_door object cross native fuzz asan tsan qemu peer)
declare -A test_budget=([lint]=60 [build]=840 [device]=240 [arm64]=300 [host]=200 [front_door]=120 [object]=300 [cross]=120 [native]=540 [fuzz]=180 [asan]=420 [tsan]=420 [qemu]=600 [peer]=840)

check_arguments_test() {
    local part
    for part in "$@"; do
        [ -n "${test_budget[$part]:-}" ] || die_usage "test: unknown label '$part'; there are: ${test_parts[*]}"
    done
}

do_test() {
    local parts=("$@") part
    [ $# -gt 0 ] || parts=("${test_parts[@]}")
    test_dir=$hexane_repo/build/release
    mkdir -p "$test_dir/test-logs"
    test_failed=0 test_unfinished=() test_rows=() test_passed_cases=0 test_failed_cases=0
    add_needed_parts
    for part in "${parts[@]}"; do
        run_part "$part"
    done
    say_results
    [ "$test_failed" -eq 0 ]
}

# The parts fuzz, asan and tsan are a preset each, with tests of its own; those with sessions run programs of the release build on them.
# Builds that the tests of a label need besides the release build, which all of them need.
declare -A test_build=([object]=device [cross]=arm64)

# Puts the builds that the parts need in front of them, asked for or not.
add_needed_parts() {
    local part needed=()
    for part in "${parts[@]}"; do
        case $part in
        lint | build | device | arm64 | fuzz) ;;
        *) needed+=(build "${test_build[$part]:-build}") ;;
        esac
    done
    for part in arm64 device build; do
        if [[ " ${needed[*]} " == *" $part "* && " ${parts[*]} " != *" $part "* ]]; then parts=("$part" "${parts[@]}"); fi
    done
}

part_command() {
    case $1 in
    lint | build) part_command=("$hexane_repo/hexane" "$1") ;;
    device) part_command=("$hexane_repo/hexane" build --device) ;;
    arm64) part_command=("$hexane_repo/hexane" build arm64) ;;
    fuzz | asan | tsan) part_command=("$hexane_d/build_and_test" "$1") ;;
    *)
        part_command=(ctest --test-dir "$test_dir" --label-regex "^$1\$" --no-tests=error --output-on-failure
            --parallel "${HEXANE_JOBS:-$(nproc)}" --timeout "${test_budget[$1]}")
        ;;
    esac
}

# Runs one part; a failure is noted and the next part runs.
run_part() {
    local part=$1 budget=${test_budget[$1]} begun=$SECONDS result=passed code=0
    local log=$test_dir/test-logs/$part.log
    local part_command
    step "$part (budget $budget s)"
    part_command "$part"
    run_within "$budget" "$log" "${part_command[@]}" || code=$?
    local took=$((SECONDS - begun))
    if [ "$code" -eq 124 ] || [ "$code" -eq 137 ] || [ "$took" -gt "$budget" ]; then
        result='over its budget'
        slowest_cases "$log"
    elif [ "$code" -ne 0 ]; then
        result=failed
    fi
    [ "$result" = passed ] || test_failed=1 test_unfinished+=("$part")
    count_cases "$log"
    test_rows+=("$(printf '%-12s %5d s of %4d s   %s' "$part" "$took" "$budget" "$result")")
}

# Usage: run_within SECONDS LOG COMMAND... Output goes to LOG and to standard output. `timeout` makes a process group of the command,
# so that all of it ends; an interrupt of ours is passed on to it. Code 124: out of time.
run_within() {
    local budget=$1 log=$2 output printer code=0
    shift 2
    exec {output}> >(tee "$log")
    printer=$!
    timeout --kill-after=10 "$budget" env --default-signal=INT,QUIT "$@" </dev/null >&"$output" 2>&1 {output}>&- &
    part_pid=$!
    trap 'kill -TERM "$part_pid" || true; wait "$part_pid" || true; say "interrupted"; exit 130' INT TERM HUP
    wait "$part_pid" || code=$?
    trap - INT TERM HUP
    exec {output}>&-
    wait "$printer" || true
    return "$code"
}

# The five cases that took longest, from ctest's own lines.
slowest_cases() {
    say "slowest:"
    sed -nE 's/^ *[0-9]+\/[0-9]+ Test +#[0-9]+: ([^ ]+) .* ([0-9.]+) sec.*/\2 s  \1/p' "$1" | sort -rn | head -n 5 >&2
    sed -nE 's/^ *Start +[0-9]+: (.*)/\1/p' "$1" | tail -n 2 | sed 's/^/started last: /' >&2
}

count_cases() {
    local failed total
    read -r failed total < <(sed -nE 's/^[0-9]+% tests passed, ([0-9]+) tests? failed out of ([0-9]+)$/\1 \2/p' "$1") || return 0
    test_failed_cases=$((test_failed_cases + failed))
    test_passed_cases=$((test_passed_cases + total - failed))
}

say_results() {
    echo
    printf '%s\n' "${test_rows[@]}"
    echo "logs: $test_dir/test-logs"
    [ ${#test_unfinished[@]} -eq 0 ] || echo "failed or not finished: ${test_unfinished[*]}"
    echo "$test_passed_cases passed, $test_failed_cases failed"
}
