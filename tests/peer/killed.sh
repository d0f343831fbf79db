#!/usr/bin/env bash
# killed.sh -- a session or the tool is killed in the middle of a long run; and many starts leave nothing.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"
before=$(shared_memory)
model=$models/kjv-5m-q4_0.gguf

# A long run in the background; sets $tool and $sessions once a session computes.
start_bench() {
    llama-bench -m "$model" -dev HTP0 -ngl 99 -p 64 -n 64 -r 100000 >"$box/bench.out" 2>"$box/bench.err" </dev/null &
    tool=$!
    sessions=
    if ! wait_until 30 has_session "$tool"; then
        fail "no session appeared within 30 s"
        tail "$box/bench.err"
        return 1
    fi
    sessions=$(sessions_of "$tool")
    sleep "$1"
}

expect_gone() {
    local pid
    for pid in "$@"; do
        wait_until 5 is_gone "$pid" || { fail "process $pid is still there"; kill -9 "$pid"; }
    done
}

has_another_session() { has_session "$tool" && [ "$(sessions_of "$tool")" != "$1" ]; }

# A session that dies under a graph ends the tool; one that dies between two graphs is replaced, and the tool goes on.
session_killed() {
    start_bench "$1" || return
    local victim began=$SECONDS code=0 kills
    for kills in {1..20}; do
        victim=$(sessions_of "$tool")
        kill -9 "$victim"
        wait_until 5 eval "is_gone $tool || has_another_session $victim" || { fail "5 s after its session's death the tool has neither ended nor a new one"; kill -9 "$tool"; }
        sleep 0.1
        is_gone "$tool" && break
        sessions="$sessions $(sessions_of "$tool")"
    done
    is_gone "$tool" || { fail "no session died under a graph in $kills kills"; kill -9 "$tool"; }
    wait "$tool" || code=$?
    say "session killed after $1 s, $kills times: tool ended with exit code $code within $((SECONDS - began)) s"
    [ "$code" -ne 0 ] || fail "the tool ended with exit code 0"
    [ "$code" -lt 126 ] || say "(a signal or abort of the tool itself: $code)"
    grep -qiE 'HTP0.*(died|dead)|session.*(died|dead)' "$box/bench.err" || { fail "no message names the session and says that it died"; tail "$box/bench.err"; }
    # shellcheck disable=SC2086 # a list
    expect_gone $sessions
}

tool_killed() {
    start_bench "$1" || return
    kill -9 "$tool"
    wait "$tool" 2>/dev/null
    # shellcheck disable=SC2086 # a list
    expect_gone $sessions
    say "tool killed after $1 s: its sessions ended"
}

many_starts() {
    local i pids=
    for i in $(seq 20); do
        llama-completion -m "$model" -dev HTP0 -ngl 99 -p 'And' -n 4 --temp 0 -no-cnv --no-warmup >"$box/out" 2>"$box/err" </dev/null &
        tool=$!
        # A quick machine may be through before anybody looks.
        wait_until 30 eval "has_session $tool || is_gone $tool"
        pids="$pids $(sessions_of "$tool")"
        code=0
        wait "$tool" || code=$?
        [ "$code" -eq 0 ] || { fail "start $i ended with exit code $code"; tail -n 5 "$box/err"; }
    done
    # shellcheck disable=SC2086 # a list
    expect_gone $pids
    say "20 starts, $(wc -w <<<"$pids") sessions seen, none left"
}

for delay in 0 0.3 1.7; do session_killed "$delay"; done
for delay in 0 0.5; do tool_killed "$delay"; done
many_starts
[ "$(shared_memory)" = "$before" ] || fail "left in /dev/shm: $(shared_memory)"
finish
