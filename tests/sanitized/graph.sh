#!/usr/bin/env bash
# graph.sh -- every case of op_tests through ggml, on sessions with a sanitizer. Where a session runs is another process, so the program
# and the driver are those of build/release, and only session process and NPU library come from the build with the sanitizer.
# Usage: graph.sh RELEASE LIB SCRATCH; LIB is where hexane-dsp and the NPU library lie.
set -euo pipefail

release=$1 lib=$2 scratch=$3
program=$release/tests/harness/op_tests
[ -x "$program" ] || { echo "$program is not there: ./hexane build" && exit 1; }
# The driver looks for the session process beside itself, and that one for the NPU library beside its own file.
rm -rf "$scratch"
mkdir -p "$scratch"
cp "$release/lib/libcdsprpc-virtual.so" "$scratch"
ln -s "$lib/hexane-dsp" "$scratch"
export GGML_HEXAGON_DRIVER=$scratch/libcdsprpc-virtual.so
exec "$program" --gtest_filter=graph.* --gtest_brief=1
