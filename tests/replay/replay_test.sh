#!/usr/bin/env bash
# replay_test.sh -- ops of a run are recorded and replayed in all modes; what is changed in a file is noticed.
# Usage: replay_test.sh SAMPLE_RUN REPLAY [qemu]
set -uo pipefail
sample_run=$1 replay=$2 modes=${3:-native}
box=$(mktemp -d)
trap 'rm -rf --one-file-system "$box"' EXIT
failures=0
code=0

fail() {
    failures=$((failures + 1))
    printf 'FAILED line %s: %s\n  exit code %s\n' "${BASH_LINENO[0]}" "$1" "$code"
    head -n 30 "$box/out" "$box/err"
}

# Usage: run EXPECTED_CODE COMMAND...
run() {
    local expected=$1
    shift
    code=0
    timeout 100 "$@" >"$box/out" 2>"$box/err" </dev/null || code=$?
    [ "$code" -eq "$expected" ] || fail "expected exit code $expected: $*"
}

expect_out() { grep -qE "$1" "$box/out" || fail "expected in the output: $1"; }
expect_error() { grep -qE "$1" "$box/err" && [ "$(wc -l <"$box/err")" -eq 1 ] || fail "expected one line: $1"; }

# Usage: flip FILE OFFSET. Turns the lowest bit of a byte; an offset below zero counts from the end.
flip() {
    local at=$2 byte
    [ "$at" -ge 0 ] || at=$(($(stat -c %s "$1") + at))
    byte=$(od -An -tu1 -j "$at" -N 1 "$1")
    # shellcheck disable=SC2059 # the format is the byte
    printf "$(printf '\\x%02x' $((byte ^ 1)))" | dd of="$1" bs=1 seek="$at" conv=notrunc status=none
}

export GGML_HEXAGON_VIRTUAL=v79,threads=2
GGML_HEXAGON_RECORD=$box/r run 0 "$sample_run"
recorded=$(<"$box/out")
files=("$box"/r/*.hxr)
[ "${#files[@]}" -ge 10 ] || fail "only ${#files[@]} files"

if [ "$modes" = qemu ]; then
    export GGML_HEXAGON_VIRTUAL=qemu,threads=2
    run 0 "$replay" "$box"/r/000003-MUL_MAT-*.hxr
    expect_out ': right[,;]'
    expect_out '^  here +v73, 2 threads'
    run 0 "$replay" "${files[@]}"
    expect_out "^${#files[@]} right, 0 not right, 0 not readable"
    [ "$failures" -eq 0 ] || exit 1
    echo passed
    exit 0
fi

# Recording changes no bit of a run.
run 0 "$sample_run"
[ "$(<"$box/out")" = "$recorded" ] || fail "the recorded run had another result"

# The same bits on every arch, with other threads and little VTCM.
for virtual in v79,threads=2 v73,threads=1,vtcm=1M v81,threads=6 v75,threads=3,inplace=0; do
    GGML_HEXAGON_VIRTUAL=$virtual run 0 "$replay" --same-bits "${files[@]}"
    expect_out "^${#files[@]} right, 0 not right, 0 not readable"
done

# One file: what a maintainer asks for.
run 0 "$replay" --same-bits "$box"/r/000003-MUL_MAT-blk.0.up.hxr
for line in ': right, the same bits as recorded' '^  op +MUL_MAT\|blk.0.up.weight x ' 'src0 tiled weight' '^  recorded +op 3 of HTP0, v79, 2 threads' \
    '^  plan +.' '^  here +v79, 2 threads' '^  plan +the same' '^  result +right; .*NMSE'; do
    expect_out "$line"
done
GGML_HEXAGON_VIRTUAL=v79,threads=5 run 0 "$replay" "$box"/r/000003-MUL_MAT-blk.0.up.hxr
expect_out '^  plan +[^t].*5'

# One bit of a result: noticed always, wrong where the op is held to exact results, or where the same bits are asked for.
cp "$box"/r/*-RMS_NORM-*.hxr "$box/float.hxr"
cp "$box"/r/*-CONT-swapped-0.hxr "$box/exact.hxr"
for file in float exact; do flip "$box/$file.hxr" -4; done
run 0 "$replay" "$box/float.hxr"
expect_out ': right; other bits than recorded in 1 of 320 elements, first \[63, 4, 0, 0\]: '
run 1 "$replay" --same-bits "$box/float.hxr"
run 1 "$replay" "$box/exact.hxr"
expect_out ': right, but WRONG as recorded: element \[4, 63, 0, 0\] is .*; other bits than recorded in 1 of 320 elements'
# The exponent of a float: wrong as recorded, whatever the tolerance.
cp "$box"/r/*-RMS_NORM-*.hxr "$box/exponent.hxr"
flip "$box/exponent.hxr" -1
run 1 "$replay" "$box/exponent.hxr"
expect_out ': right, but WRONG as recorded: element \[63, 4, 0, 0\] is '

# Files that are none.
cp "$box"/r/000003-*.hxr "$box/cut.hxr"
truncate -s -1 "$box/cut.hxr"
run 2 "$replay" "$box/cut.hxr"
expect_error "cut.hxr is cut off: [0-9]+ of [0-9]+ bytes"
cp "$box"/r/000003-*.hxr "$box/version.hxr"
printf '\x02' | dd of="$box/version.hxr" bs=1 seek=8 conv=notrunc status=none
run 2 "$replay" "$box/version.hxr"
expect_error "version.hxr has version 2, this program reads version 1"
echo text >"$box/text.hxr"
run 2 "$replay" "$box/text.hxr"
expect_error "text.hxr is not a record"
run 2 "$replay" "$box"
expect_error "is not a file"
run 2 "$replay" "$box/nothing.hxr"
expect_error "nothing.hxr cannot be opened: No such file"
run 2 "$replay" "$box/text.hxr" "${files[0]}"
expect_out "000001-.*: right"
run 2 "$replay"
expect_error "^usage"

# An op that fails: written with the reason, and it fails again.
GGML_HEXAGON_RECORD=$box/f run 0 "$sample_run" fail
run 1 "$replay" "$box"/f/*-SET_ROWS-*.hxr
expect_out ': it fails: .*; recorded as failed: .*index'
run 0 "$replay" "$box"/f/*-RMS_NORM-*.hxr

# Operands that are too large stay out, and replay says so.
GGML_HEXAGON_RECORD=$box/l GGML_HEXAGON_RECORD_MIB=1 run 0 "$sample_run" large
run 0 "$replay" "$box"/l/*large*.hxr
expect_out "not run: recorded without its operands' bytes"
[ "$(stat -c %s "$box"/l/*large*.hxr)" -lt 4096 ] || fail "the file has bytes"

# A folder that cannot be: one line, and the run goes on.
GGML_HEXAGON_RECORD=$box/text.hxr/x run 0 "$sample_run"
[ "$(grep -c GGML_HEXAGON_RECORD "$box/err")" -eq 1 ] || fail "expected one line about the folder"
[ "$(<"$box/out")" = "$recorded" ] || fail "the run had another result"

[ "$failures" -eq 0 ] || exit 1
echo passed
