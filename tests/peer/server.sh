#!/usr/bin/env bash
# server.sh -- llama-server with parallel requests, of which some are cancelled in the middle, and with a session that dies: every answer is the
# one that the request gets alone.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"
export OMP_WAIT_POLICY=passive
prompts=('In the beginning' 'And the king said unto' 'Blessed are the' 'The LORD is my' 'And it came to pass' 'Praise ye' 'For God so loved' 'Now the sons of')
server= port=

# Usage: post PATH JSON >ANSWER. Over bash's own sockets.
post() {
    local connection
    exec {connection}<>"/dev/tcp/127.0.0.1/$port" || return 1
    printf 'POST %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' "$1" "${#2}" "$2" >&"$connection"
    cat <&"$connection"
    exec {connection}>&-
}

is_healthy() {
    local connection answer
    { exec {connection}<>"/dev/tcp/127.0.0.1/$port"; } 2>/dev/null || return 1
    printf 'GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' >&"$connection"
    read -r answer <&"$connection"
    exec {connection}>&-
    [[ $answer == *' 200 '* ]]
}

# Usage: start_server ARGUMENTS...; another port if somebody has this one.
start_server() {
    local try
    for try in 1 2 3 4 5; do
        port=$((20000 + RANDOM % 20000))
        llama-server -m "$models/kjv-5m-q8_0.gguf" -dev "$devices" -ngl 99 --host 127.0.0.1 --port "$port" --no-webui "$@" >"$box/server.log" 2>&1 </dev/null &
        server=$!
        wait_until 30 eval "is_healthy || is_gone $server"
        is_healthy && return
        is_gone "$server" || kill "$server"
        wait "$server"
    done
    fail "the server does not start"
    tail "$box/server.log"
    finish
}

stop_server() {
    local code=0
    kill "$server"
    wait_until 10 is_gone "$server" || { fail "the server does not stop"; kill -9 "$server"; }
    wait "$server" || code=$?
    server=
    [ "$code" -eq 0 ] || fail "the server ended with exit code $code"
}
trap '[ -z "$server" ] || kill -9 "$server"; rm -rf --one-file-system "$box"' EXIT

# Usage: request PROMPT TOKENS STREAM
request() { printf '{"prompt":"%s","n_predict":%d,"temperature":0,"stream":%s,"ignore_eos":true}' "$@"; }

# Usage: ask NUMBER FILE. The text that the server answers to a prompt.
ask() { post /completion "$(request "${prompts[$1]}" 32 false)" | sed -nE 's/.*"content":"(([^"\\]|\\.)*)".*/\1/p' >"$2"; }

# Asks for a long text and hangs up in the middle.
ask_and_leave() {
    local connection body line
    body=$(request "$1" 2000 true)
    exec {connection}<>"/dev/tcp/127.0.0.1/$port" || return
    printf 'POST /completion HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' "${#body}" "$body" >&"$connection"
    for _ in {1..12}; do read -r line <&"$connection"; done
    exec {connection}>&-
}

# Asks all prompts alone, one after the other. Usage: ask_alone PREFIX
ask_alone() {
    local i
    for i in "${!prompts[@]}"; do
        ask "$i" "$box/$1.$i"
        [ "$(wc -c <"$box/$1.$i")" -gt 40 ] || fail "hardly any answer to '${prompts[$i]}': $(<"$box/$1.$i")"
    done
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

# Usage: expect_same PREFIX WHEN
expect_same() {
    local i differ=0
    for i in "${!prompts[@]}"; do
        cmp -s "$box/alone.$i" "$box/$1.$i" && continue
        differ=$((differ + 1))
        say "alone: $(<"$box/alone.$i")" "$2: $(<"$box/$1.$i")"
    done
    [ "$differ" -eq 0 ] || fail "$differ of ${#prompts[@]} answers $2 differ from those alone"
    say "$2: ${#prompts[@]} answers, $differ differ"
}

# The session dies while requests run: some fail, none is wrong, and those after it are answered.
kill_a_session() {
    ask_together killed &
    local asking=$! i wrong=0 lost=0
    sleep 0.05  # a quick machine has answered all of them in a quarter of a second; one that died before them fails the first of them
    kill -9 "$(sessions_of "$server" | head -n 1)"
    wait "$asking"
    grep -q 'session died' "$box/server.log" || fail "no line says that the session died"
    for i in "${!prompts[@]}"; do
        [ -s "$box/killed.$i" ] || { lost=$((lost + 1)); continue; }
        cmp -s "$box/alone.$i" "$box/killed.$i" || wrong=$((wrong + 1))
    done
    say "a session died: $lost requests failed, $wrong of the others are wrong"
    [ "$lost" -ge 1 ] || fail "no request was in the middle when the session died"
    [ "$wrong" -eq 0 ] || fail "$wrong answers are wrong after a session died"
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
