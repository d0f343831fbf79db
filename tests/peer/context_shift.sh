#!/usr/bin/env bash
# context_shift.sh -- what llama.cpp does to a KV cache on the device, where no other backend can step in: shift it when the context is full,
# keep it in quantised blocks. The tools end well, and the shifted text is the one that the CPU backend writes.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"

# Session threads and the CPU backend's share the cores: those that wait must not spin.
export OMP_WAIT_POLICY=passive
export GGML_HEXAGON_STATS=$box/stats.json
model=$models/kjv-5m-q8_0.gguf

# Usage: text DEVICE FILE ARGUMENTS...
text() {
    run 60 llama-completion -m "$model" -dev "$1" -ngl 99 -c 256 -no-cnv --temp 0 -p 'In the beginning' "${@:3}"
    expect_code 0 "llama-completion on $1 ${*:3}"
    cp "$out" "$2"
    [ "$(wc -c <"$2")" -gt 200 ] || fail "hardly any text on $1 ${*:3}"
}

expect_ran() { grep -q "\"$1\"" "$GGML_HEXAGON_STATS" || fail "no $1 ran on the device"; }

# Twice as many tokens as the context holds: it is shifted several times.
shifted=(--context-shift --keep 4 -n 500 --ignore-eos)
text none "$box/cpu" "${shifted[@]}"
rm -f "$GGML_HEXAGON_STATS"
text HTP0 "$box/npu" "${shifted[@]}"
expect_ran ROPE
say "shifted: $(tr '\n' ' ' <"$box/npu" | cut -c 1-120)"
cmp -s "$box/cpu" "$box/npu" || fail "the text with the cache on the device differs from that of the CPU backend"

for type in q8_0 q4_0; do
    rm -f "$GGML_HEXAGON_STATS"
    text HTP0 "$box/npu" -n 60 -ctk "$type"
    expect_ran SET_ROWS
    say "$type keys: $(tr '\n' ' ' <"$box/npu" | cut -c 1-120)"
    text HTP0 "$box/npu" -n 60 -ctk "$type" -ctv "$type"
done
run 60 llama-bench -m "$model" -dev HTP0 -ngl 99 -ctk q8_0 -r 1 -p 64 -n 16
expect_code 0 "llama-bench with q8_0 keys"
finish
