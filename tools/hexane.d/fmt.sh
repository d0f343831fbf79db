# fmt.sh -- formats the C++ sources in place.

check_arguments_fmt() {
    no_arguments fmt "$@"
}

do_fmt() {
    # shellcheck source=tools/hexane.d/lint.sh
    source "$hexane_d/lint.sh"
    cpp_sources | xargs -0 -r -P "$(nproc)" -n 40 clang-format-22 -i
}
