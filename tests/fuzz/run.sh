#!/usr/bin/env bash
# run.sh -- runs a fuzz target, or all of them, from the committed corpus on.
#
#   tests/fuzz/run.sh BUILD TARGET --runs N       the same every time, from an empty scratch corpus: what the tests do
#   tests/fuzz/run.sh BUILD TARGET --seconds N    goes on where the last such run ended; `all`: the seconds are shared
#
# BUILD is the folder of the preset fuzz. New inputs stay in BUILD/inputs/TARGET. An input that fails is written to BUILD/findings and
# named; when what it shows is mended, it moves to tests/fuzz/corpus/TARGET as NAME.input, where every later run begins with it.
set -euo pipefail

here=$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")
[ $# -eq 4 ] && [[ $3 == --runs || $3 == --seconds ]] && [[ $4 =~ ^[1-9][0-9]*$ ]] ||
    { echo "usage: run.sh BUILD TARGET|all --runs|--seconds N" >&2 && exit 2; }
build=$(readlink -f "$1")
wanted=$2 mode=$3 amount=$4

run_target() {
    local target=$1 limit=$2 inputs=$build/inputs/$1
    local options=(-seed=1 -timeout=30 -rss_limit_mb=2000 -print_final_stats=1 "-artifact_prefix=$build/findings/$target-" "$limit")
    local dictionary=$here/dictionaries/$target.dict
    [ ! -f "$dictionary" ] || options+=("-dict=$dictionary")
    # A run of the tests depends on nothing that an earlier one found.
    if [ "$mode" = --runs ]; then
        inputs=$build/inputs/tests/$target
        rm -rf "$inputs"
    else
        options+=(-seed=0)
    fi
    mkdir -p "$inputs" "$build/findings"
    "$build/tests/fuzz/fuzz_$target" "${options[@]}" "$inputs" "$here/corpus/$target" && return
    echo "fuzz target $target failed; the input is in $build/findings. Mend the cause, then keep it as tests/fuzz/corpus/$target/NAME.input" >&2
    return 1
}

failed=0
if [ "$wanted" = all ]; then
    targets=("$here"/corpus/*/)
    [ "$mode" = --runs ] || amount=$(((amount + ${#targets[@]} - 1) / ${#targets[@]}))
else
    targets=("$wanted/")
fi
limit=-runs=$amount
[ "$mode" = --runs ] || limit=-max_total_time=$amount
for target in "${targets[@]}"; do
    run_target "$(basename "$target")" "$limit" || failed=1
done
exit "$failed"
