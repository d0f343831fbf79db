# harness.sh -- sourced by every *_test.sh here: a copy of the front door in a folder of its own, stand-ins for what it calls, and
# expectations. A test file ends with `finish`.
set -euo pipefail

tree=$(dirname "$(dirname "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")")")
box=$(mktemp -d)
repo=$box/repo
failures=0
trap 'rm -rf --one-file-system "$box"' EXIT

unset HEXANE_INSIDE HEXANE_ROOT HEXANE_JOBS GGML_BACKEND_PATH TMPDIR
export XDG_CACHE_HOME=$box/cache
mkdir -p "$repo" "$box/bin" "$XDG_CACHE_HOME"
cp -r "$tree/hexane" "$tree/tools" "$tree/CMakePresets.json" "$repo"
export PATH=$box/bin:$PATH

# Usage: stand_in NAME <<'E' ... E. A script that is found instead of the program NAME.
stand_in() {
    { echo '#!/usr/bin/env bash' && cat; } >"$box/bin/$1"
    chmod +x "$box/bin/$1"
}

# Runs a command with a deadline; what it printed is in $out and $err, its exit code in $code.
run() {
    code=0
    # The braces keep the shell's own words about a killed command out of the test's output.
    { timeout 30 "$@" >"$box/out" 2>"$box/err" </dev/null || code=$?; } 2>/dev/null
    out=$(<"$box/out")
    err=$(<"$box/err")
}

fail() {
    failures=$((failures + 1))
    printf 'FAILED line %s: %s\n' "${BASH_LINENO[1]}" "$1"
    printf '  exit code %s\n  out: %s\n  err: %s\n' "${code:-}" "${out:-}" "${err:-}"
}

expect_code() {
    [ "$code" -eq "$1" ] || fail "expected exit code $1"
}

# Usage: expect_in TEXT PATTERN (of [[ ]])
expect_in() {
    # shellcheck disable=SC2053 # a pattern
    [[ $1 == *$2* ]] || fail "expected to find: $2"
}

expect_equal() {
    [ "$1" = "$2" ] || fail "expected '$2', got '$1'"
}

expect_true() {
    "$@" || fail "expected: $*"
}

# One line on standard error besides progress lines.
expect_one_line() {
    local lines
    lines=$(grep -cv '^hexane: \[' "$box/err") || true
    [ "$lines" -eq 1 ] || fail "expected one line of error"
}

# Usage: wait_until SECONDS COMMAND...
wait_until() {
    local deadline=$((SECONDS + $1))
    shift
    until "$@" 2>/dev/null; do
        [ "$SECONDS" -lt "$deadline" ] || return 1
        sleep 0.05
    done
}

# Makes DIRECTORY a root in which the front door itself can run: a few programs with their libraries.
small_root() {
    local root=$1 program file
    mkdir -p "$root"/{etc,mnt,tmp,var/lib/dpkg,usr/bin,usr/sbin,usr/lib,usr/lib64}
    ln -sfn usr/bin "$root/bin"
    ln -sfn usr/sbin "$root/sbin"
    ln -sfn usr/lib "$root/lib"
    ln -sfn usr/lib64 "$root/lib64"
    for program in bash sh env unshare readlink dirname sleep true cat id awk mkdir touch; do
        program=$(PATH=/usr/sbin:/usr/bin type -P "$program")
        cp -L "$program" "$root/usr/bin/"
        ldd "$program" | grep -oE '/[^ ]+' | while read -r file; do
            mkdir -p "$(dirname "$root/usr/${file#/usr}")"
            cp -Lu "$file" "$root/usr/${file#/usr}"
        done
    done
    mkdir -p "$root/usr/lib/locale"
    cp -r /usr/lib/locale/C.utf8 "$root/usr/lib/locale/"
    touch "$root/var/lib/dpkg/status" "$root"/etc/{passwd,group,hosts,resolv.conf}
}

finish() {
    if [ "$failures" -ne 0 ]; then
        echo "$failures failed"
        exit 1
    fi
    echo "passed"
}
