#!/usr/bin/env bash
# killed.sh -- the session of Hexagon code is killed, or crashes, while it computes: the tool ends and says how.
# shellcheck source=tests/qemu/qemu.sh
source "$(dirname "$0")/qemu.sh"

# Usage: session_ends SIGNAL PATTERN... ; each pattern is in a line on standard error.
session_ends() {
    local signal=$1 pattern tool victim tries
    shift
    out=$box/out err=$box/err code=0
    GGML_HEXAGON_VIRTUAL=$hexagon llama-bench -m "$models/kjv-5m-q4_0.gguf" -dev HTP0 -ngl 99 -p 64 -n 64 -r 1000 >"$out" 2>"$err" </dev/null &
    tool=$!
    if ! wait_until 60 has_qemu_session "$tool"; then
        fail "no qemu-hexagon process was seen"
        kill -9 "$tool"
        return
    fi
    sleep 2
    # A session that ends between two graphs is replaced.
    for tries in 1 2 3 4 5; do
        victim=$(qemu_sessions_of "$tool" | head -n 1)
        kill "-$signal" "$victim"
        wait_until 5 is_gone "$tool" && break
    done
    is_gone "$tool" || { fail "the tool did not end when its session ended by $signal, $tries times"; kill -9 "$tool"; }
    wait "$tool" || code=$?
    [ "$code" -ne 0 ] || fail "$signal: the tool ended with exit code 0"
    for pattern in "$@"; do
        grep -q "$pattern" "$err" || { fail "$signal: no line has '$pattern'"; show; }
    done
    wait_until 5 is_gone "$victim" || fail "process $victim is still there"
}

session_ends KILL 'session .*(process .*) died: signal 9'
session_ends SEGV 'session .*(process .*) died: signal 11' 'hexane-dsp.*fatal: SEGV'
finish
