#!/usr/bin/env bash
# same_text.sh -- greedy text is the same, byte for byte, with 1 and with 6 threads, on every arch, with 1 MiB of VTCM, on hardware that
# forgives nothing, and without fusions.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"

# Usage: text TYPE VIRTUAL FILE
text() {
    GGML_HEXAGON_VIRTUAL=$2 run 120 llama-completion -m "$models/kjv-5m-$1.gguf" -dev HTP0 -ngl 99 -p 'In the beginning' -n 80 --temp 0 --seed 1 \
        -no-cnv --no-warmup
    expect_code 0 "llama-completion with $2"
    cp "$out" "$3"
    [ "$(wc -c <"$3")" -gt 100 ] || fail "hardly any text with $2"
}

for type in q4_0 q8_0 f16; do
    text "$type" v79,threads=1 "$box/first"
    say "$type: $(tr '\n' ' ' <"$box/first" | cut -c 1-120)"
    for virtual in v79,threads=6 strict,v73,threads=6,vtcm=1M v75,threads=2 strict,v81,threads=6; do
        text "$type" "$virtual" "$box/other"
        cmp -s "$box/first" "$box/other" || fail "$type: the text with $virtual differs from that with one thread"
    done
    GGML_HEXAGON_OPFUSION=0 text "$type" v79,threads=2 "$box/other"
    cmp -s "$box/first" "$box/other" || fail "$type: the text without fusions differs"
done
finish
