#!/usr/bin/env bash
# no_driver.sh -- without a FastRPC library that works there are no devices, one line says why, and the tool runs on the CPU.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"

# Usage: without DRIVER EXPECTED-PATTERN
without() {
    code=0 out=$box/out err=$box/err
    GGML_HEXAGON_DRIVER=$1 timeout 30 llama-bench --list-devices >"$out" 2>"$err" </dev/null || code=$?
    expect_code 0 "driver $1"
    if grep -q '^ *HTP0' "$out"; then fail "HTP0 is listed with driver $1"; fi
    [ "$(cat "$out" "$err" | grep -cF -- "$1")" -eq 1 ] || { fail "not exactly one line names the driver $1"; show; }
    grep -hF -- "$1" "$out" "$err" | grep -qiE "$2" || { fail "no reason is given for $1"; show; }
}

echo 'not a library' >"$box/text.so"
: >"$box/empty.so"
printf 'int nothing;' >"$box/nothing.c"
without "$box/missing.so" 'no such file|cannot open'
without "$box/text.so" 'invalid ELF|file too short|header'
without "$box/empty.so" 'too short|invalid'
without "/usr/lib/$(uname -m)-linux-gnu/libm.so.6" 'remote_|rpcmem_|symbol|lacks|missing'
without "$box" 'directory|cannot'

# The library is there, but what it needs beside itself is not.
mkdir "$box/lonely"
cp "$HEXANE_LIB_DIR/libcdsprpc-virtual.so" "$box/lonely/"
run 60 env GGML_HEXAGON_DRIVER="$box/lonely/libcdsprpc-virtual.so" llama-completion -m "$models/kjv-5m-q4_0.gguf" -dev HTP0 -ngl 99 -p And -n 4 \
    --temp 0 -no-cnv --no-warmup
[ "$code" -ne 0 ] && [ "$code" -lt 124 ] || { fail "without the session program the tool should fail by itself, not with code $code"; show; }
grep -q hexane-dsp "$err" || { fail "no line says that hexane-dsp is missing"; show; }

run 60 env GGML_HEXAGON_DRIVER="$box/missing.so" llama-completion -m "$models/kjv-5m-q4_0.gguf" -p And -n 4 --temp 0 -no-cnv --no-warmup
expect_code 0 "generation on the CPU without a driver"
finish
