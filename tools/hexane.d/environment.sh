# environment.sh -- what a command of ours needs in its environment: the plug-in, llama.cpp's tools and test-backend-ops.

# The plug-in of a build preset.
plugin_of() {
    echo "$hexane_repo/build/$1/lib/libggml-hexagon.so"
}

set_environment() {
    local tests
    for tests in /usr/libexec/*/llama.cpp-tests; do
        [ -d "$tests" ] && PATH=$PATH:$tests
    done
    export PATH
    export GGML_BACKEND_PATH=${GGML_BACKEND_PATH:-$(plugin_of release)}
}

# ggml's CPU threads spin while they wait for each other. The virtual NPU's threads want the same cores: with as many of both as there
# are cores, a token took ten times as long. On a device the NPU has cores of its own and this does not matter.
export OMP_WAIT_POLICY=${OMP_WAIT_POLICY:-passive}
