#!/usr/bin/env bash
# record.sh -- every op of a real run is recorded, and right with the same bits when it is replayed alone. Needs HEXANE_REPLAY, the program.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"
: "${HEXANE_REPLAY:?the replay program}"

for type in q4_0 f16; do
    complete=(llama-completion -m "$models/kjv-5m-$type.gguf" -dev HTP0 -ngl 99 -p 'In the beginning' -n 2 --temp 0 -no-cnv --no-warmup)
    run 60 "${complete[@]}"
    cp "$out" "$box/plain"
    GGML_HEXAGON_RECORD=$box/$type GGML_HEXAGON_RECORD_MAX=1 run 60 "${complete[@]}"
    expect_code 0 "llama-completion that records"
    cmp -s "$box/plain" "$out" || fail "$type: another text when it is recorded"
    files=("$box/$type"/*.hxr)
    [ "${#files[@]}" -ge 10 ] || fail "$type: only ${#files[@]} files"
    for op in MUL_MAT RMS_NORM ROPE SET_ROWS; do
        compgen -G "$box/$type/*-$op-*.hxr" >/dev/null || fail "$type: no $op was recorded"
    done
    run 100 "$HEXANE_REPLAY" --same-bits "${files[@]}"
    expect_code 0 "replay of ${#files[@]} files"
    say "$type: $(tail -n 1 "$out"), $(du -sh "$box/$type" | cut -f 1)"
done
finish
