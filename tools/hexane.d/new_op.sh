# new_op.sh -- starts a new op from a template; the work is in tools/new_op.

check_arguments_new_op() {
    [ "${1:-}" != --bytes ] || shift
    [ $# -eq 1 ] || die_usage "new-op: expected one name: ./hexane new-op [--bytes] NAME"
    [[ $1 != -* ]] || die_usage "new-op: unknown option '$1': ./hexane new-op [--bytes] NAME"
}

do_new_op() {
    exec "$hexane_repo/tools/new_op" "$hexane_repo" "$@"
}
