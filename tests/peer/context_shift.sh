#!/usr/bin/env bash
# context_shift.sh -- a KV cache on the device is shifted when the context is full: the tool ends well, and its text is
# the one that the CPU backend writes.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"

# Session threads and the CPU backend's share the cores: those that wait must not spin.
export OMP_WAIT_POLICY=passive

# Usage: text DEVICE FILE. Twice as many tokens as the context holds: it is shifted several times.
text() {
    GGML_HEXAGON_STATS=$box/stats.json run 60 llama-completion -m "$models/kjv-5m-q8_0.gguf" -dev "$1" -ngl 99 -c 256 --context-shift --keep 4 \
        -n 500 --ignore-eos -no-cnv --temp 0 -p 'In the beginning'
    expect_code 0 "llama-completion on $1"
    cp "$out" "$2"
    [ "$(wc -c <"$2")" -gt 1500 ] || fail "hardly any text on $1"
}

text none "$box/cpu"
rm -f "$box/stats.json"
text HTP0 "$box/npu"
grep -q '"ROPE"' "$box/stats.json" || fail "no ROPE ran on the device"
say "$(tr '\n' ' ' <"$box/npu" | cut -c 1-120)"
cmp -s "$box/cpu" "$box/npu" || fail "the text with the cache on the device differs from that of the CPU backend"
finish
