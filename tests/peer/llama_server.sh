# shellcheck shell=bash disable=SC2034 # variables are for the scripts
# llama_server.sh -- sourced after peer.sh: llama-server with the plug-in, and requests over bash's own sockets.
export OMP_WAIT_POLICY=passive
prompts=('In the beginning' 'And the king said unto' 'Blessed are the' 'The LORD is my' 'And it came to pass' 'Praise ye' 'For God so loved' 'Now the sons of')
server= port=
server_runner=()  # what the server is started by

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
        "${server_runner[@]}" llama-server -m "$models/kjv-5m-q8_0.gguf" -dev "$devices" -ngl 99 --host 127.0.0.1 --port "$port" --no-webui "$@" >"$box/server.log" 2>&1 </dev/null &
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

# Asks all prompts alone, one after the other. Usage: ask_alone PREFIX
ask_alone() {
    local i
    for i in "${!prompts[@]}"; do
        ask "$i" "$box/$1.$i"
        [ "$(wc -c <"$box/$1.$i")" -gt 40 ] || fail "hardly any answer to '${prompts[$i]}': $(<"$box/$1.$i")"
    done
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
