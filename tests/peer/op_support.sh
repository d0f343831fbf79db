#!/usr/bin/env bash
# op_support.sh -- every case of the promised ops and types that the CPU backend runs is claimed by HTP0.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"
promised_ops=$(ops_of)

# Cases that a backend supports, as lines "OP(params)".
supported_by() {
    run 300 test-backend-ops support -b "$1" -o "$promised_ops" --output csv
    expect_code 0 "support of $1"
    awk -F'","' 'NR > 1 && $5 == "1" { print $2 "(" $3 ")" }' "$out" | sort -u
}

# The types that the ops promise: floats, and more where a line here says so. MUL_MAT: weights f32, f16, q4_0, q8_0. Copies: among floats, and same-type i32.
promised_types() {
    awk '
        /^MUL_MAT/ { if (/type_a=(f32|f16|q4_0|q8_0),type_b=(f32|f16),/) print; next }
        /^CPY/     { if (/type_src=(f32|f16|bf16),type_dst=(f32|f16|bf16),/ || /type_src=i32,type_dst=i32,/) print; next }
        /^SET_ROWS/ { if (/type_dst=(f32|f16|bf16),/ || /type_src=f32,type_dst=(q8_0|q4_0),/) print; next }
        /^(CONT|DUP)/ { if (/type=(f32|f16|bf16|i32),/) print; next }
        { if (!/type[a-z_]*=/ || /type[a-z_]*=(f32|f16|bf16),/) print }'
}

supported_by CPU | promised_types >"$box/cpu"
supported_by HTP0 >"$box/npu"
comm -23 "$box/cpu" "$box/npu" >"$box/missing"
say "$(wc -l <"$box/cpu") promised cases, $(comm -12 "$box/cpu" "$box/npu" | wc -l) claimed, $(wc -l <"$box/missing") missing"
[ "$(wc -l <"$box/cpu")" -gt 1000 ] || fail "the list of promised cases is suspiciously short"
IFS=',' read -ra names <<<"$promised_ops"
for op in "${names[@]}"; do
    grep -q "^$op(" "$box/cpu" || fail "no promised case of $op"
done
if [ -s "$box/missing" ]; then
    head -n 40 "$box/missing"
    fail "cases that the CPU backend runs are not claimed"
fi
finish
