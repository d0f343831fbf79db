#!/usr/bin/env bash
# killed.sh -- the session of Hexagon code is killed while it computes: the tool ends and names it.
# shellcheck source=tests/qemu/qemu.sh
source "$(dirname "$0")/qemu.sh"

GGML_HEXAGON_VIRTUAL=$hexagon llama-bench -m "$models/kjv-5m-q4_0.gguf" -dev HTP0 -ngl 99 -p 64 -n 64 -r 1000 >"$box/out" 2>"$box/err" </dev/null &
tool=$!
out=$box/out err=$box/err code=
if wait_until 60 has_qemu_session "$tool"; then
    victim=$(qemu_sessions_of "$tool")
    sleep 2
    kill -9 "$victim"
    wait_until 10 is_gone "$tool" || { fail "the tool did not end within 10 s of its session's death"; kill -9 "$tool"; }
    code=0
    wait "$tool" || code=$?
    [ "$code" -ne 0 ] || fail "the tool ended with exit code 0"
    grep -q 'session .*(process .*) died: signal 9' "$err" || { fail "no line names the session and how it died"; show; }
    wait_until 5 is_gone "$victim" || fail "process $victim is still there"
else
    fail "no qemu-hexagon process was seen"
    kill -9 "$tool"
fi
finish
