#!/usr/bin/env bash
# server.sh -- llama-server with parallel requests, of which some are cancelled in the middle, and with a session that dies: every answer is the
# one that the request gets alone.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"
# shellcheck source=tests/peer/llama_server.sh
source "$(dirname "$0")/llama_server.sh"

# Asks for a long text and hangs up in the middle.
ask_and_leave() {
    local connection body line
    body=$(request "$1" 2000 true)
    exec {connection}<>"/dev/tcp/127.0.0.1/$port" || return
    printf 'POST /completion HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' "${#body}" "$body" >&"$connection"
    for _ in {1..12}; do read -r line <&"$connection"; done
    exec {connection}>&-
}

# Asks all prompts at once while others hang up. Usage: ask_together PREFIX
ask_together() {
    local i pids=()
    for i in "${!prompts[@]}"; do
        ask "$i" "$box/$1.$i" &
        pids+=($!)
        if [ $((i % 3)) -eq 1 ]; then
            ask_and_leave "${prompts[$i]} and" &
            pids+=($!)
        fi
    done
    wait "${pids[@]}"
}

# Asks all prompts at once and kills the session meanwhile; sets $lost. Nothing that is answered may be wrong.
lose_a_session() {
    ask_together killed &
    local asking=$! i wrong=0
    lost=0
    sleep 0.05  # a quick machine has answered all of them in a quarter of a second
    kill -9 "$(sessions_of "$server" | head -n 1)"
    wait "$asking"
    for i in "${!prompts[@]}"; do
        [ -s "$box/killed.$i" ] || { lost=$((lost + 1)); continue; }
        cmp -s "$box/alone.$i" "$box/killed.$i" || wrong=$((wrong + 1))
    done
    say "a session died: $lost requests failed, $wrong of the others are wrong"
    [ "$wrong" -eq 0 ] || fail "$wrong answers are wrong after a session died"
}

# The session dies while requests run: those whose graph it was at fail, none is wrong, and those after it are answered. Between two graphs its
# death costs nothing.
kill_a_session() {
    local tries lost=0
    for tries in 1 2 3 4 5 6 7 8; do
        lose_a_session
        [ "$lost" -eq 0 ] || break
    done
    [ "$lost" -ge 1 ] || fail "no request was in the middle when a session died, $tries times"
    grep -q 'session died' "$box/server.log" || fail "no line says that the session died"
    is_gone "$server" && { fail "the server ended when a session died"; tail "$box/server.log"; return; }
    ask_alone after
    expect_same after "after a session died"
}

export GGML_HEXAGON_DEVICES=2
devices=HTP0
start_server -np 4 -c 2048
ask_alone alone
ask_alone again
expect_same again "alone again"
for turn in 1 2; do
    ask_together together
    expect_same together "together, turn $turn"
done
cancelled=$(grep -c 'cancel task' "$box/server.log")
[ "$cancelled" -ge 4 ] || fail "only $cancelled requests were cancelled in the middle"
kill_a_session
stop_server

# Layers over two sessions.
devices=HTP0,HTP1
start_server -np 4 -c 2048
ask_together split
expect_same split "on two sessions"
[ "$(sessions_of "$server" | wc -l)" -eq 2 ] || fail "there were not two sessions"
stop_server
finish
