# say.sh -- how the front door speaks: one line per fact, all of it on standard error, so that standard output stays the command's.

say() {
    printf 'hexane: %s\n' "$*" >&2
}

# Ends with one line. Exit code 1: something could not be done.
die() {
    say "$*"
    exit 1
}

# Ends with one line. Exit code 2: it was asked for wrongly.
die_usage() {
    say "$*"
    exit 2
}

# Usage: no_arguments COMMAND "$@"
no_arguments() {
    local command=$1
    shift
    [ $# -eq 0 ] || die_usage "'$command' takes no arguments, got '$1'"
}

# Seconds since the script began, right-aligned: the left column of progress lines.
step() {
    printf 'hexane: [%4d s] %s\n' "$SECONDS" "$*" >&2
}
