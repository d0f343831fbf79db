# arguments_test.sh -- what is typed wrongly gets one line and exit code 2, before anything is set up.
# shellcheck source=tests/front_door/harness.sh
source "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

wrong() {
    local line=$1
    shift
    run "$repo/hexane" "$@"
    expect_code 2
    expect_one_line
    expect_in "$err" "$line"
}

wrong "unknown command 'demoo'" demoo
wrong "unknown command '--frobnicate'" --frobnicate
wrong "'setup' takes no arguments, got '--force'" setup --force
wrong "'demo' takes no arguments" demo 3
wrong "'lint' takes no arguments" lint x
wrong "'fmt' takes no arguments" fmt x
wrong "'shell' takes no arguments" shell x
wrong "expected '--' before the command" run llama-cli
wrong "expected '--' before the command" run
wrong "no command after '--'" run --
wrong "unknown preset 'debug'" build debug
wrong "one preset at most" build dev release
wrong "unknown label 'unit'" test unit
wrong "soak: minutes must be a whole number" soak
wrong "soak: minutes must be a whole number" soak --minutes ten
wrong "soak: minutes must be a whole number" soak --minutes 0
wrong "soak: --minutes needs a number" soak --minutes
wrong "soak: the seed must be a whole number" soak --minutes 1 --seed x
wrong "soak: unknown argument '--hours'" soak --hours 1
wrong "replay: no file" replay
wrong "replay: no file" replay --same-bits
wrong "replay: no file of these can be read: /nowhere.hxr" replay /nowhere.hxr
wrong "replay: unknown option '--all'" replay --all x.hxr
wrong "expected one name" new-op
wrong "expected one name" new-op a b

run "$repo/hexane" help
expect_code 0
expect_in "$out" "run -- COMMAND"
run "$repo/hexane"
expect_code 0
run "$repo/hexane" --help
expect_code 0

HEXANE_ROOT=$box/nowhere run "$repo/hexane" lint
expect_code 1
expect_one_line
expect_in "$err" "is not a system tree"

finish
