# shellcheck shell=bash disable=SC2034 # variables are for the scripts
# peer.sh -- sourced by every script here: Debian's llama.cpp tools with the plug-in of this build, and expectations.
#
# Needs HEXANE_LIB_DIR, the build's lib folder. A script ends with `finish`.
set -uo pipefail

tree=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
: "${HEXANE_LIB_DIR:?the lib folder of a build}"
box=$(mktemp -d)
trap 'rm -rf --one-file-system "$box"' EXIT
failures=0

# Nothing of the caller's settings, unless the test's own configuration (PEER_...) says so.
for name in $(compgen -e GGML_); do unset "$name"; done
export GGML_BACKEND_PATH=$HEXANE_LIB_DIR/libggml-hexagon.so
export GGML_HEXAGON_DRIVER=$HEXANE_LIB_DIR/libcdsprpc-virtual.so
[ -z "${PEER_VIRTUAL:-}" ] || export GGML_HEXAGON_VIRTUAL=$PEER_VIRTUAL
[ -z "${PEER_TILES:-}" ] || export GGML_HEXAGON_TILES=$PEER_TILES
PATH=$PATH:/usr/libexec/$(uname -m)-linux-gnu/llama.cpp-tests
export PATH
export LC_ALL=C.UTF-8

models=$tree/models
heldout=$models/kjv-heldout.txt

# The ops that the plug-in promises, by ggml's names, as NAME,NAME: those of one folder of ops/, of all but one with `!` in front, or of all.
# Needs HEXANE_OP_TABLE, the program.
ops_of() {
    "${HEXANE_OP_TABLE:?the program op_table}" --folders | awk -v wanted="${1:-!}" '
        BEGIN { others = sub(/^!/, "", wanted) }
        ($1 == wanted) != others { printf "%s%s", sep, $2; sep = "," }'
}

say() { printf '%s\n' "$*"; }

fail() {
    failures=$((failures + 1))
    say "FAILED: $*"
}

# Runs a command with a deadline of $1 seconds; output in $out and $err (files), exit code in $code (124: out of time).
run() {
    out=$box/out err=$box/err code=0
    timeout --kill-after=10 "$@" >"$out" 2>"$err" </dev/null || code=$?
}

show() {
    say "--- exit code $code, last lines of standard output and error:"
    tail -n 15 "$out" "$err"
}

expect_code() {
    [ "$code" -eq "$1" ] && return
    fail "expected exit code $1, got $code: $2"
    show
}

# Usage: wait_until SECONDS COMMAND...
wait_until() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@"; do
        [ "$SECONDS" -lt "$deadline" ] || return 1
        sleep 0.05
    done
}

# Usage: within VALUE LOW HIGH
within() { awk -v v="$1" -v l="$2" -v h="$3" 'BEGIN { exit !(v != "" && v + 0 >= l && v + 0 <= h) }'; }

# Session processes among the descendants of process $1.
sessions_of() { pgrep -x hexane-dsp -P "$1"; }
has_session() { [ -n "$(sessions_of "$1")" ]; }
is_gone() { ! kill -0 "$1" 2>/dev/null; }

# What could be left behind outside of any process.
shared_memory() { find /dev/shm -mindepth 1 -printf '%f\n' 2>/dev/null | grep -iE 'hexane|hexagon|ggml|dsp' | sort; }

finish() {
    [ "$failures" -eq 0 ] || { say "$failures failed"; exit 1; }
    say passed
}
