# bench.sh -- measures against the CPU backend. All of it is in bench/run, which gets the arguments.

check_arguments_bench() {
    :
}

do_bench() {
    # shellcheck source=tools/hexane.d/build.sh
    source "$hexane_d/build.sh"
    # shellcheck source=tools/hexane.d/environment.sh
    source "$hexane_d/environment.sh"
    [ -x "$hexane_repo/bench/run" ] || die "bench: bench/run is missing"
    build_preset release
    set_environment
    exec "$hexane_repo/bench/run" "$@"
}
