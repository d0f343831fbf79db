# shell.sh -- an interactive shell (or a script on standard input) where the tools are, with the plug-in's environment if it is built.

check_arguments_shell() {
    no_arguments shell "$@"
}

do_shell() {
    # shellcheck source=tools/hexane.d/environment.sh
    source "$hexane_d/environment.sh"
    set_environment
    exec bash
}
