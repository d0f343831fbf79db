#!/usr/bin/env bash
# op_suite.sh FOLDER|!FOLDER [PARAMS-REGEX] -- ggml's own op suite against the CPU backend for the ops of a folder, or of all others, on
# what PEER_VIRTUAL and PEER_TILES describe.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"
ops=$(ops_of "$1")
[ -n "$ops" ] || fail "no op of $1"

select=(-o "$ops")
[ -z "${2:-}" ] || select+=(-p "$2")
run 840 test-backend-ops test -b HTP0 "${select[@]}" -j 1
expect_code 0 "test-backend-ops"
passed=$(grep -oE '[0-9]+/[0-9]+ tests passed' "$out" | tail -n 1)
say "${PEER_VIRTUAL:-default device}, tiles ${PEER_TILES:-weights}: ${passed:-no summary}"
grep -E 'FAIL' "$out" | head -n 20
[ "$(grep -c 'FAIL' "$out")" -eq 0 ] || fail "cases failed"
# A suite that ran nothing proves nothing.
IFS=',' read -ra names <<<"$ops"
for op in "${names[@]}"; do
    grep -q "  $op(.*OK" "$out" || fail "no case of $op ran on HTP0"
done
grep -q "died\|unresponsive\|no progress" "$err" && fail "a session died" && show
finish
