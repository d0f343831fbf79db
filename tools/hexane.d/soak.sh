# soak.sh -- the tests that draw their cases, for as long as asked for, with other seeds each time: ops at random on strict devices, the
# graphs of all cases with other schedules, a server that is disturbed, a driver that fails, fuzzed input. A failure is told with the command that repeats it, and
# the rest goes on.

soak_usage='./hexane soak --minutes N [--seed S]'

check_arguments_soak() {
    soak_minutes='' soak_seed=''
    while [ $# -gt 0 ]; do
        case $1 in
        --minutes) soak_minutes=${2:-} ;;
        --seed) soak_seed=${2:-} ;;
        *) die_usage "soak: unknown argument '$1': $soak_usage" ;;
        esac
        [ $# -ge 2 ] || die_usage "soak: $1 needs a number: $soak_usage"
        shift 2
    done
    [[ "$soak_minutes" =~ ^[1-9][0-9]{0,4}$ ]] || die_usage "soak: minutes must be a whole number from 1 to 99999: $soak_usage"
    [[ "${soak_seed:-1}" =~ ^[0-9]{1,9}$ ]] || die_usage "soak: the seed must be a whole number of up to 9 digits: $soak_usage"
}

do_soak() {
    check_arguments_soak "$@"
    # shellcheck source=tools/hexane.d/build.sh
    source "$hexane_d/build.sh"
    build_preset release
    build_preset fuzz
    local tests=$hexane_repo/build/release/tests until=$((SECONDS + soak_minutes * 60)) seed=${soak_seed:-$((10#$(date +%s) % 1000000))}
    soak_logs=$hexane_repo/build/soak
    soak_runs=0 soak_failures=0
    mkdir -p "$soak_logs"
    export GGML_HEXAGON_DRIVER=$hexane_repo/build/release/lib/libcdsprpc-virtual.so
    say "soak: $soak_minutes minutes from seed $seed; logs in build/soak"
    for (( ; SECONDS < until; seed++)); do
        soak_once "HEXANE_TEST_SEED=$seed HEXANE_TEST_DRAWS=100 GGML_HEXAGON_VIRTUAL=$(strict_device "$seed")" \
            "$tests/harness/op_tests" --gtest_filter='drawn.*' --gtest_brief=1
        [ "$SECONDS" -lt "$until" ] || break
        soak_once "HEXANE_TEST_SEED=$seed GGML_HEXAGON_VIRTUAL=$(strict_device "$((seed + 1))")" \
            "$tests/harness/op_tests" --gtest_filter='graph.*' --gtest_brief=1
        [ "$SECONDS" -lt "$until" ] || break
        # 200 rounds take two to four minutes.
        soak_once "HEXANE_LIB_DIR=$hexane_repo/build/release/lib" bash "$hexane_repo/tests/peer/disturbed.sh" 200 "$((seed % 32768))"
        [ "$SECONDS" -lt "$until" ] || break
        # The environment of native.faulty_driver; about eight seeds a second.
        soak_once "HEXANE_TEST_SEED=$((seed * 200)) HEXANE_TEST_SEEDS=200 GGML_HEXAGON_DEADLINE=1 GGML_HEXAGON_OPBATCH=3 GGML_HEXAGON_OPQUEUE=2 GGML_HEXAGON_DEVICES=2" \
            "$tests/host/faulty_tests" --gtest_brief=1
        [ "$SECONDS" -lt "$until" ] || break
        soak_once '' bash "$hexane_repo/tests/fuzz/run.sh" "$hexane_repo/build/fuzz" all --seconds 60
    done
    say "soak: $soak_runs runs, $soak_failures failed"
    [ "$soak_failures" -eq 0 ]
}

# A strict device that follows from a seed.
strict_device() {
    local archs=(v73 v75 v79 v81) threads=(1 2 3 4 6) vtcm=(1M 2M 8M)
    echo "strict,${archs[$1 % 4]},threads=${threads[$1 % 5]},vtcm=${vtcm[$1 % 3]},seed=$1"
}

# Usage: soak_once "VARIABLE=VALUE ..." COMMAND... A run may take ten minutes.
soak_once() {
    local variables log code=0
    read -ra variables <<<"$1"
    shift
    soak_runs=$((soak_runs + 1))
    log=$soak_logs/$soak_runs.log
    timeout --kill-after=10 600 env "${variables[@]}" "$@" >"$log" 2>&1 </dev/null || code=$?
    if [ "$code" -eq 0 ]; then
        rm -f "$log"
        return
    fi
    soak_failures=$((soak_failures + 1))
    say "soak: failed (exit code $code, ${log#"$hexane_repo"/}): ./hexane run -- env ${variables[*]} ${*@Q}"
}
