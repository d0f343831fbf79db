#!/usr/bin/env bash
# backends_folder.sh -- the plug-in is also found as one of the files of a backends folder, without GGML_BACKEND_PATH.
# shellcheck source=tests/peer/peer.sh
source "$(dirname "$0")/peer.sh"
unset GGML_BACKEND_PATH GGML_HEXAGON_DRIVER

# ggml looks beside the program and in the working directory; a copy of the program brings its folder with it.
mkdir "$box/here"
cp "$(command -v llama-bench)" "$HEXANE_LIB_DIR"/lib*.so "$HEXANE_LIB_DIR/hexane-dsp" "$box/here/"
cp /usr/lib/"$(uname -m)"-linux-gnu/ggml/backends0/libggml-cpu-*.so "$box/here/"
cd "$box/here" || exit 1
run 30 ./llama-bench --list-devices
expect_code 0 "llama-bench from a folder with the plug-in"
grep -q HTP0 "$out" "$err" || { fail "HTP0 is not listed"; show; }
finish
