# replay.sh -- runs ops that GGML_HEXAGON_RECORD wrote, each alone, and judges them by the oracles of the op tests. Exit code 0: all right,
# 1: a result is wrong, 2: a file cannot be read. GGML_HEXAGON_VIRTUAL says on what.

check_arguments_replay() {
    local argument files=0 readable=0
    for argument in "$@"; do
        case $argument in
        --same-bits) ;;
        -*) die_usage "replay: unknown option '$argument'; there is --same-bits" ;;
        *)
            files=$((files + 1))
            [ ! -r "$argument" ] || readable=$((readable + 1))
            ;;
        esac
    done
    [ "$files" -gt 0 ] || die_usage "replay: no file: ./hexane replay [--same-bits] FILE..."
    # Before anything is built for nothing. One that cannot be read among others is told by the program.
    [ "$readable" -gt 0 ] || die_usage "replay: no file of these can be read: $*"
}

do_replay() {
    # shellcheck source=tools/hexane.d/build.sh
    source "$hexane_d/build.sh"
    build_preset release replay
    exec "$hexane_repo/build/release/tests/replay/replay" "$@"
}
