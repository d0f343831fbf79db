#!/usr/bin/env bash
# same_text.sh -- a small model writes the same text on Hexagon code as on PC code.
# shellcheck source=tests/qemu/qemu.sh
source "$(dirname "$0")/qemu.sh"

for type in f16 q4_0; do
    command=(llama-completion -m "$models/kjv-5m-$type.gguf" -dev HTP0 -ngl 99 -p 'In the beginning' -n 16 --temp 0 --seed 1 -no-cnv --no-warmup)
    GGML_HEXAGON_VIRTUAL=v73 run 60 "${command[@]}"
    expect_code 0 "llama-completion on PC code"
    mv "$out" "$box/native"
    [ "$(wc -c <"$box/native")" -gt 40 ] || fail "$type: hardly any text on PC code"
    run_on_qemu 380 "${command[@]}"
    expect_code 0 "llama-completion on Hexagon code"
    say "$type: $(tr '\n' ' ' <"$out")"
    cmp -s "$box/native" "$out" || { fail "$type: the text differs from that of PC code"; cat "$box/native"; }
done
finish
