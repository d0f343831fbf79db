# run.sh -- runs a command with the plug-in loaded: `./hexane run -- llama-cli -m model.gguf`. Its exit code is the command's.

check_arguments_run() {
    [ "${1:-}" = -- ] || die_usage "run: expected '--' before the command: ./hexane run -- COMMAND..."
    [ $# -ge 2 ] || die_usage "run: no command after '--'"
}

do_run() {
    shift
    # shellcheck source=tools/hexane.d/build.sh
    source "$hexane_d/build.sh"
    # shellcheck source=tools/hexane.d/environment.sh
    source "$hexane_d/environment.sh"
    # A plug-in of the caller's own needs no build of ours.
    [ -n "${GGML_BACKEND_PATH:-}" ] || build_runtime
    set_environment
    if ! type -P -- "$1" >/dev/null; then
        say "run: command not found: $1"
        exit 127
    fi
    exec -- "$@"
}
