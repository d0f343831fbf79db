#!/usr/bin/env bash
# disturbed.sh [ROUNDS [SEED]] -- llama-server with four clients, while its process group gets signals, it and its sessions are stopped, and
# sessions are killed, busy and idle: every request is answered right, or fails because a session died under it, with a line that says so.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"
# shellcheck source=tests/peer/llama_server.sh
source "$(dirname "$0")/llama_server.sh"
rounds=${1:-40}
RANDOM=${2:-1}
before=$(shared_memory)

# What the server ignores and a session that were in its group would die of.
ignored=(USR1 USR2 ALRM XCPU HUP VTALRM TSTP)

# A client: asks one prompt after the other; waits while there is a file "pause". One line per request: its prompt and what came of it.
client() {
    local i=$1 outcome
    until [ -e "$box/end" ]; do
        if [ -e "$box/pause" ]; then
            touch "$box/paused.$1"
            sleep 0.02
            continue
        fi
        rm -f "$box/paused.$1"
        i=$(((i + 1) % ${#prompts[@]}))
        ask "$i" "$box/answer.$1"
        outcome=wrong
        [ -s "$box/answer.$1" ] || outcome=lost
        cmp -s "$box/alone.$i" "$box/answer.$1" && outcome=right
        echo "$outcome $i $(<"$box/answer.$1")" >>"$box/outcomes.$1"
    done
}

all_paused() { [ "$(find "$box" -name 'paused.*' | wc -l)" -eq 4 ]; }
outcomes() { cat "$box"/outcomes.* 2>/dev/null | grep -c "^$1"; }
session() { sessions_of "$server" | head -n 1; }
some_ms() { sleep "$(printf '%d.%03d' $((RANDOM % $1 / 1000)) $((RANDOM % ($1 < 1000 ? $1 : 1000))))"; }

signal_group() { kill -s "${ignored[$((RANDOM % ${#ignored[@]}))]}" -- "-$server"; }

# As when the machine sleeps: both are stopped, for longer than the deadline at times, and go on one after the other.
stop_both() {
    local first=$server second
    second=$(session)
    [ $((RANDOM % 2)) -eq 0 ] || { first=$second second=$server; }
    kill -STOP "$first" "$second" 2>/dev/null
    some_ms 2600
    kill -CONT "$second" 2>/dev/null
    some_ms 50
    kill -CONT "$first" 2>/dev/null
}

stop_session() {
    local one
    one=$(session)
    kill -STOP "$one" 2>/dev/null
    some_ms 2600
    kill -CONT "$one" 2>/dev/null
}

kill_busy() {
    killed_busy=$((killed_busy + 1))
    kill -9 "$(session)" 2>/dev/null
}

# With nothing under way: the next requests are all answered.
kill_idle() {
    touch "$box/pause"
    wait_until 20 all_paused || fail "the clients do not come to rest"
    local lost_before
    lost_before=$(outcomes lost)
    kill -9 "$(session)" 2>/dev/null
    some_ms 30
    rm -f "$box/pause"
    some_ms 500
    [ "$(outcomes lost)" -eq "$lost_before" ] || fail "the death of an idle session cost a request"
}

export GGML_HEXAGON_DEADLINE=2
devices=HTP0
trap '' "${ignored[@]}"
server_runner=(setsid)
start_server -np 4 -c 2048
ask_alone alone
clients=()
for n in 0 1 2 3; do
    client "$n" &
    clients+=($!)
done
killed_busy=0
for ((round = 1; round <= rounds; ++round)); do
    some_ms 400
    case $((RANDOM % 8)) in
    0 | 1 | 2) signal_group ;;
    3) stop_both ;;
    4) stop_session ;;
    5 | 6) kill_busy ;;
    7) kill_idle ;;
    esac
    is_gone "$server" && { fail "the server ended in round $round"; tail "$box/server.log"; break; }
done
touch "$box/end"
wait "${clients[@]}"
say "$rounds rounds: $(outcomes right) requests right, $(outcomes lost) lost under $killed_busy deaths of busy sessions, $(outcomes wrong) wrong"
[ "$(outcomes wrong)" -eq 0 ] || { fail "wrong answers"; cat "$box"/outcomes.* | grep ^wrong | head -n 5; }
[ "$(outcomes lost)" -le $((4 * killed_busy)) ] || fail "more requests were lost than the dead sessions had under way"
[ "$(outcomes right)" -ge "$rounds" ] || fail "hardly any request was answered"
failed=$(grep -c 'HTP0 session died:' "$box/server.log")
[ "$failed" -le "$killed_busy" ] || fail "$failed sessions died under a graph, but only $killed_busy were killed"
grep -E 'no progress|sign of life' "$box/server.log" && fail "a session was given up"
ask_alone after
expect_same after "after all rounds"
last=$(sessions_of "$server")
stop_server
# shellcheck disable=SC2086 # a list
for one in $last; do wait_until 5 is_gone "$one" || fail "session $one is left"; done
[ "$(shared_memory)" = "$before" ] || fail "left in /dev/shm: $(shared_memory)"
finish
