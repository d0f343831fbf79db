#!/usr/bin/env bash
# arm64_test.sh -- the arm64 build under an emulator: stock ggml for arm64 loads the plug-in, lists its devices and runs ops on a
# session, whose program is started through the launcher prefix.
#
# Usage: arm64_test.sh BUILD, of preset arm64
set -uo pipefail
build=$1
box=$(mktemp -d)
trap 'rm -rf --one-file-system "$box"' EXIT
failures=0

# A processor that every emulator and every ggml agree on; the session's emulator reads it too.
export QEMU_CPU=neoverse-n1
export GGML_BACKEND_PATH=$build/lib/libggml-hexagon.so GGML_HEXAGON_DRIVER=$build/lib/libcdsprpc-virtual.so
export GGML_HEXAGON_DEVICES=2 GGML_HEXAGON_VIRTUAL=threads=2

# Usage: expect CODE TEXT LAUNCHER. Runs the ops with a launcher prefix; TEXT is on exactly so many lines as there are sessions to open.
expect() {
    local code=0
    GGML_HEXAGON_VIRTUAL_LAUNCHER=$3 timeout 120 qemu-aarch64 "$build/tests/cross/run_ops" >"$box/out" 2>&1 </dev/null || code=$?
    if [ "$code" -ne "$1" ] || ! grep -qE "$2" "$box/out"; then
        failures=$((failures + 1))
        echo "FAILED with launcher '$3': expected code $1 and '$2', got code $code"
        cat "$box/out"
    fi
}

expect 0 'device HTP0: Hexagon v79 NPU' qemu-aarch64
grep -c 'relative error' "$box/out" | grep -qx 4 || { echo "FAILED: not all types ran"; failures=$((failures + 1)); }
expect 0 'device HTP1: Hexagon v79 NPU' "env HEXANE_ANY=1 qemu-aarch64"
# What cannot start a session says so, and the program goes on.
expect 1 'HTP0 gave no result' /nonexistent/launcher
grep -q "HTP0 session not opened" "$box/out" || { echo "FAILED: the session is not named"; cat "$box/out"; failures=$((failures + 1)); }

[ "$failures" -eq 0 ] || exit 1
echo passed
