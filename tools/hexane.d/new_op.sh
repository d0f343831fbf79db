# new_op.sh -- starts a new op from the template ops/noop; the work is in tools/new_op.

check_arguments_new_op() {
    [ $# -eq 1 ] || die_usage "new-op: expected one name: ./hexane new-op NAME"
}

do_new_op() {
    exec "$hexane_repo/tools/new_op" "$hexane_repo" "$1"
}
