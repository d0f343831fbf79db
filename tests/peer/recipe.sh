#!/usr/bin/env bash
# recipe.sh BUILD -- an op that `new-op` makes: its files, how much is compiled for it, its tests, ggml's own suite on it, on Hexagon code
# too, and the lists and pages. On a layer over the tree and its build folder BUILD, which stay as they are.
# Code 77: such a layer cannot be made here.
#
# The template squares, so the op is ggml's SQR; a SQR that the tree has itself leaves the list on the layer.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/peer.sh"
build=$1

# Everything below happens in a mount namespace of its own, where the layer lies over the tree in its own place: what is built stays built.
if [ -z "${HEXANE_RECIPE_LAYER:-}" ]; then
    export HEXANE_RECIPE_LAYER=$box/layer
    mkdir -p "$box/layer"/{changed,work}
    unshare --user --map-root-user --mount bash -c 'mount -t overlay overlay \
        -o "lowerdir=$1,upperdir=$HEXANE_RECIPE_LAYER/changed,workdir=$HEXANE_RECIPE_LAYER/work,userxattr" "$1" || exit 77; cd "$1" && exec bash "$2" "$3"' \
        recipe "$tree" "$(readlink -f "$0")" "$build"
    code=$?
    chmod -R u+rwX "$box/layer"
    exit "$code"
fi
cd "$tree" || exit 1

expect_equal() { [ "$1" = "$2" ] || fail "$3: expected '$2', got '$1'"; }

# What a build that is up to date compiles from here on is the op's.
ninja -C "$build" >"$box/before" 2>&1 || { tail -n 20 "$box/before" && fail "the build before"; }
sed -i 's/op::sqr, *//' ops/all_ops.h

tools/new_op "$tree" square >/dev/null || fail "new-op"
find ops/square -type f -printf '%f\n' | sort | paste -sd' ' >"$box/files"
expect_equal "$(cat "$box/files")" "kernel.cpp plan.cpp square.h test.cpp" "files"
# ggml's name of the node, and its own builder.
sed -i 's/"SQUARE"/"SQR"/' ops/square/*
sed -i '/\.op_name = /d; s/\.in_graph = false/.in_graph = true/' ops/square/test.cpp

ninja -C "$build" >"$box/built" 2>&1 || { tail -n 30 "$box/built" && fail "the build"; }
objects=$(grep -c 'Building .* object' "$box/built")
say "$objects objects"
within "$objects" 1 60 || fail "$objects objects were compiled, not 1 to 60"

op_tests=$build/tests/harness/op_tests
env -u GGML_HEXAGON_DRIVER "$op_tests" --gtest_filter='*.square_*' --gtest_brief=1 >"$box/out" 2>&1 || { tail -n 20 "$box/out" && fail "op_tests"; }
within "$(grep -oE '^\[==========\] [0-9]+' "$box/out" | tail -n 1 | grep -oE '[0-9]+')" 100 1000 || { tail -n 5 "$box/out" && fail "too few tests of it"; }

# Everything that goes by ops knows it: the tests, the program that lists them, the pages.
"$HEXANE_OP_TABLE" --folders | grep -qx 'square SQR' || fail "op_table does not list it"
tools/op_pages --check "$HEXANE_OP_TABLE" >/dev/null && fail "the pages are said to be current"
tools/op_pages "$HEXANE_OP_TABLE" || fail "op_pages"
grep -qE '^\| ops \|.*, SQR;' README.md || fail "README does not list it"
ctest --test-dir "$build" -N >"$box/tests"
for name in native.kernel.square qemu.ops.square; do
    grep -q ": $name\$" "$box/tests" || fail "there is no test $name"
done
ctest --test-dir "$build" -R '^(host\.op_pages|native\.kernel\.square|qemu\.ops\.square)$' --output-on-failure >"$box/out" 2>&1 || {
    tail -n 40 "$box/out"
    fail "tests that exist by themselves"
}
bash tests/peer/op_suite.sh square || fail "ggml's suite"
finish
