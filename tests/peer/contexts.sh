#!/usr/bin/env bash
# contexts.sh -- several llama contexts, each in a thread of its own: on one device, and on four sessions at once. Every one writes what one
# writes alone.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"
export OMP_WAIT_POLICY=passive
tokens=48

# Runs a copy of the model per device, one on the CPU and one over all devices, each with $1 contexts. Usage: write CONTEXTS FILE.
# FILE gets a line per context: the model's number, then its text.
write() {
    run 100 test-thread-safety -m "$models/kjv-5m-q8_0.gguf" -ngl 99 -p 'In the beginning' -n "$tokens" -c 256 -np "$1" --temp 0
    expect_code 0 "test-thread-safety with $1 contexts"
    cat "$out" "$err" | sed -nE 's/^.*Model ([0-9]+)\/[0-9]+, Context [0-9]+\/[0-9]+: (.*)$/\1 \2/p' | sort >"$2"
}

# Usage: expect_alike FILE MODELS CONTEXTS. All contexts of all models but the CPU's, which comes last but one, have the text of the device alone.
expect_alike() {
    local cpu=$(($2 - 1)) lines others
    lines=$(grep -cv "^$cpu " "$1")
    [ "$lines" -eq $((($2 - 1) * $3)) ] || { fail "expected $((($2 - 1) * $3)) texts, got $lines"; show; }
    others=$(grep -v "^$cpu " "$1" | cut -d' ' -f2- | grep -cvxF "$alone")
    [ "$others" -eq 0 ] || { fail "$others of $lines texts differ from the one of a context alone"; cat "$1"; }
    say "$lines contexts on $(($2 - 1)) models: $others texts differ"
}

export GGML_HEXAGON_DEVICES=1
write 1 "$box/alone"
alone=$(sed -n 's/^1 //p' "$box/alone")
say "alone: $alone"
[ "${#alone}" -gt 100 ] || fail "hardly any text"
expect_alike "$box/alone" 3 1

for turn in 1 2 3; do
    write 4 "$box/together"
    expect_alike "$box/together" 3 4
done

export GGML_HEXAGON_DEVICES=4
write 2 "$box/four"
expect_alike "$box/four" 6 2
finish
