#!/usr/bin/env bash
# user_reports.sh -- what users met, with llama.cpp's tools: small buffers, filters, devices that do not exist, links, misspelt names.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"
model=$models/kjv-5m-q8_0.gguf

complete() { run 60 "$@" llama-completion -m "$model" -p Blessed -n 4 --temp 0 -no-cnv; }

# The state is saved, and read again, though a tensor of the cache is larger than the largest buffer.
for mib in 1 2 64; do
    run 60 env GGML_HEXAGON_MBUF=$mib llama-completion -m "$model" -c 8192 -p Blessed -n 4 -no-cnv --prompt-cache "$box/cache.$mib"
    expect_code 0 "saving the state with buffers of $mib MiB"
    run 60 env GGML_HEXAGON_MBUF=$mib llama-completion -m "$model" -c 8192 -p Blessed -n 4 -no-cnv --prompt-cache "$box/cache.$mib"
    expect_code 0 "reading the state with buffers of $mib MiB"
    [ -s "$box/cache.$mib" ] || fail "no state with buffers of $mib MiB"
done

# A filter takes ops off the NPU and never a layout, nor what writes into our cache.
complete env
expect_code 0 "no filter"
cp "$out" "$box/text"
for filter in '.*' NONE VIEW PERMUTE TRANSPOSE RESHAPE 'SET_ROWS' 'CPY|CONT'; do
    complete env GGML_HEXAGON_OPFILTER="$filter"
    expect_code 0 "OPFILTER=$filter"
    lines=$(grep -c 'GGML_HEXAGON_OPFILTER does not apply to' "$err")
    case $filter in
    '.*' | SET_ROWS) [ "$lines" -eq 1 ] || fail "OPFILTER=$filter: $lines lines name what is not filtered" ;;
    *) [ "$lines" -eq 0 ] || fail "OPFILTER=$filter: a line about what it does not name" ;;
    esac
    [ "$filter" = '.*' ] || cmp -s "$out" "$box/text" || fail "OPFILTER=$filter: another text"
done

# A core has four sessions; the fifth device is not offered, and the others work.
complete env GGML_HEXAGON_DEVICES=5
expect_code 0 "five devices on one core"
[ "$(grep -c 'HTP4 not registered: core 0 has 4 sessions' "$err")" -eq 1 ] || { fail "no line about HTP4"; show; }
run 30 env GGML_HEXAGON_DEVICES=HTP0:1,HTP0:2,HTP0:3,HTP0:4,HTP0 llama-bench --list-devices
[ "$(cat "$out" "$err" | grep -c 'HTP0:4 not registered')" -eq 1 ] || { fail "no line about HTP0:4"; show; }

# Reached through a link, in a folder with a space in its name; the driver lies beside the file itself.
unset GGML_HEXAGON_DRIVER
mkdir "$box/other place"
ln -s "$GGML_BACKEND_PATH" "$box/other place/libggml-hexagon.so"
complete env GGML_BACKEND_PATH="$box/other place/libggml-hexagon.so"
expect_code 0 "a plug-in behind a link"
grep -q 'cannot be loaded' "$err" && fail "the driver was not found" && show
cmp -s "$out" "$box/text" || fail "another text through a link"
cp -r "$HEXANE_LIB_DIR" "$box/a copy of it"
complete env GGML_BACKEND_PATH="$box/a copy of it/libggml-hexagon.so"
expect_code 0 "a plug-in in a folder with a space"
cmp -s "$out" "$box/text" || fail "another text from a folder with a space"

run 30 env GGML_HEXAGON_DEVICE=2 llama-bench --list-devices
[ "$(cat "$out" "$err" | grep -c 'GGML_HEXAGON_DEVICE is not a variable that is read; the nearest is GGML_HEXAGON_DEVICES')" -eq 1 ] || { fail "no line about a misspelt name"; show; }
finish
