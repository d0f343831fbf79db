# build_test.sh -- building only what is needed, and the test driver with its budgets, on stand-ins for cmake, ninja and ctest.
# shellcheck source=tests/front_door/harness.sh
source "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

export HEXANE_ROOT=/ CALLS=$box/calls
mkdir -p "$repo/host"
touch "$repo/CMakeLists.txt" "$repo/host/a.cpp"
stand_in cmake <<'S'
echo cmake >>"$CALLS"
touch "build/$2/build.ninja"
S
stand_in ninja <<'S'
echo ninja >>"$CALLS"
echo "${!#}" >"$CALLS.target"
exit "${NINJA_CODE:-0}"
S

expect_calls() {
    local calls=
    [ ! -f "$CALLS" ] || calls=$(paste -sd' ' "$CALLS")
    expect_equal "$calls" "$1"
    rm -f "$CALLS"
}

run "$repo/hexane" build
expect_code 0
expect_calls "cmake ninja"
run "$repo/hexane" build
expect_code 0
expect_calls ""

# A changed file, a new one, a removed one.
sleep 0.02
touch "$repo/host/a.cpp"
run "$repo/hexane" build
expect_calls "ninja"
touch "$repo/host/b.cpp"
run "$repo/hexane" run -- true
expect_code 0
expect_equal "$out" ""
expect_calls "ninja"
rm "$repo/host/b.cpp"
run "$repo/hexane" build
expect_calls "ninja"

# The demo needs the runtime only; what `build` then does is the rest.
cat >"$repo/tools/hexane.d/demo.sh" <<'S'
check_arguments_demo() { :; }
do_demo() { source "$hexane_d/build.sh" && build_preset release runtime; }
S
touch "$repo/host/a.cpp"
run "$repo/hexane" demo
expect_code 0
expect_calls "ninja"
expect_equal "$(cat "$CALLS.target")" runtime
run "$repo/hexane" demo
expect_calls ""
run "$repo/hexane" build
expect_calls "ninja"
expect_equal "$(cat "$CALLS.target")" all
run "$repo/hexane" demo
expect_calls ""

# Sessions of Hexagon code need a program of their own: built when a run asks for them, and only then.
touch "$repo/host/a.cpp"
GGML_HEXAGON_VIRTUAL=v79,qemubar run "$repo/hexane" run -- true
expect_calls "ninja"
expect_equal "$(cat "$CALLS.target")" runtime
GGML_HEXAGON_VIRTUAL=qemu,threads=2 run "$repo/hexane" run -- true
expect_code 0
expect_calls "ninja"
expect_equal "$(cat "$CALLS.target")" hexane-dsp-v73
GGML_HEXAGON_VIRTUAL=qemu,threads=2 run "$repo/hexane" run -- true
expect_calls ""

# A failed build is not taken for done.
touch "$repo/host/a.cpp"
NINJA_CODE=1 run "$repo/hexane" build
expect_code 1
expect_in "$err" "building build/release failed"
expect_calls "ninja"
run "$repo/hexane" build
expect_calls "ninja"

# Changed presets configure again; another root starts afresh.
sleep 0.02
touch "$repo/CMakePresets.json"
run "$repo/hexane" build
expect_calls "cmake ninja"
echo /another >"$repo/build/release/.root"
touch "$repo/host/a.cpp"
run "$repo/hexane" build
expect_in "$err" "starting afresh"
expect_calls "cmake ninja"

# All device presets, one of them, and one that does not exist.
run "$repo/hexane" build --device
expect_code 0
expect_calls "cmake ninja cmake ninja cmake ninja cmake ninja"
for arch in v73 v75 v79 v81; do
    expect_true test -f "$repo/build/device-$arch/.built"
done
run "$repo/hexane" build device-v79
expect_calls ""
run "$repo/hexane" build device-v68
expect_code 2
expect_in "$err" "unknown preset 'device-v68'"
expect_one_line

# The presets of the sanitizers.
for preset in asan tsan fuzz; do
    run "$repo/hexane" build "$preset"
    expect_code 0
    expect_calls "cmake ninja"
done

# The test driver: counts, a failure, and a budget that is over.
stand_in ctest <<'S'
sleep "${CTEST_SLEEP:-0}"
if [ -n "${SANITIZER_FINDS:-}" ]; then
    log=${TSAN_OPTIONS#*log_path=}
    echo "$SANITIZER_FINDS" >"${log%%:*}.1"
fi
echo "50% tests passed, ${CTEST_FAILED:-0} tests failed out of 4"
[ "${CTEST_FAILED:-0}" = 0 ]
S
run "$repo/hexane" test host native
expect_code 0
expect_in "$out" "8 passed, 0 failed"
# Tests of Hexagon code build the device libraries first.
run "$repo/hexane" test object
expect_in "$out" "device  "
# A preset with tests of its own is built and tested by its part. What a sanitizer reports fails it, though every test passed.
run "$repo/hexane" test asan fuzz
expect_code 0
expect_in "$out" "8 passed, 0 failed"
SANITIZER_FINDS="data race" run "$repo/hexane" test tsan
expect_code 1
expect_in "$out" "data race"
expect_in "$out" "failed or not finished: tsan"
CTEST_FAILED=1 run "$repo/hexane" test host
expect_code 1
expect_in "$out" "3 passed, 1 failed"
sed -i 's/\[host\]=[0-9]*/[host]=1/' "$repo/tools/hexane.d/test.sh"
CTEST_SLEEP=20 run "$repo/hexane" test host
expect_code 1
expect_in "$out" "over its budget"

finish
