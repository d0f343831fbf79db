#!/usr/bin/env bash
# ops.sh FOLDER PARAMS-REGEX -- cases of ggml's own op suite for the ops of a folder on Hexagon code, against the CPU backend. Code 77: ggml
# has none of them.
# shellcheck source=tests/qemu/qemu.sh
source "$(dirname "$0")/qemu.sh"
ops=$(ops_of "$1")
[ -n "$ops" ] || { say "ops/$1 has no op of ggml's" && exit 77; }

run_on_qemu 380 test-backend-ops test -b HTP0 -o "$ops" -p "$2" -j 1
expect_code 0 "test-backend-ops"
say "$(grep -oE '[0-9]+/[0-9]+ tests passed' "$out" | tail -n 1)"
[ "$(grep -c 'FAIL' "$out")" -eq 0 ] || { fail "cases failed"; grep FAIL "$out"; }
IFS=',' read -ra names <<<"$ops"
for op in "${names[@]}"; do
    grep -q "  $op(.*OK" "$out" || fail "no case of $op ran on HTP0"
done
finish
