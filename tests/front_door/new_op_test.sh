# new_op_test.sh -- the generator: what it makes, and that a refused name leaves the tree as it was.
# shellcheck source=tests/front_door/harness.sh
source "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

export HEXANE_ROOT=/
cp -r "$tree/abi" "$tree/ops" "$repo"
cp -r "$repo" "$box/before"

# Usage: refuses CODE SENTENCE ARGUMENTS...
refuses() {
    local expected=$1 sentence=$2
    shift 2
    run "$repo/hexane" new-op "$@"
    expect_code "$expected"
    expect_one_line
    expect_in "$err" "$sentence"
    expect_true diff -rq "$box/before" "$repo"
}

refuses 1 "not a snake_case name" "Softmax"
refuses 1 "not a snake_case name" "soft__max"
refuses 1 "not a snake_case name" "_x"
refuses 1 "not a snake_case name" "../x"
refuses 1 "not a snake_case name" ""
refuses 1 "not a snake_case name" --bytes "Softmax"
refuses 1 "longer than 40 characters" "$(printf 'a%.0s' {1..41})"
refuses 1 "reserved word" "float"
refuses 1 "reserved word" "row_wise"
refuses 1 "exists already" "noop"
refuses 1 "exists already" "reglu"
refuses 1 "exists already" --bytes "mul_mat"
refuses 2 "expected one name"
refuses 2 "expected one name" --bytes
refuses 2 "expected one name" a b
refuses 2 "unknown option '--rows'" --rows
refuses 2 "expected one name" --rows x

# Row-wise by default.
run "$repo/hexane" new-op soft_max
expect_code 0
expect_equal "$(ls "$repo/ops/soft_max" | paste -sd' ')" "kernel.cpp plan.cpp soft_max.h test.cpp"
expect_equal "$(grep -rliE 'row_wise|noop' "$repo/ops/soft_max" || true)" ""
expect_true grep -q '^#include "ops/soft_max/soft_max.h"$' "$repo/ops/all_ops.h"
expect_true grep -q 'op::soft_max>;$' "$repo/ops/all_ops.h"
largest=$(grep -hoE 'op_id id\{[0-9]+' "$tree"/ops/*/*.h | sed 's/.*{//' | sort -n | tail -1)
expect_true grep -q "op_id id{$((largest + 1))};" "$repo/ops/soft_max/soft_max.h"
run "$repo/tools/check_layers"
expect_code 0

# A mover of bytes, which comes after it; the same one is refused.
run "$repo/hexane" new-op --bytes soft_plus
expect_code 0
expect_equal "$(ls "$repo/ops/soft_plus")" "$(ls "$repo/ops/noop" | sed 's/noop/soft_plus/' | sort)"
expect_equal "$(grep -rlwi noop "$repo/ops/soft_plus" || true)" ""
expect_true grep -q "op_id id{$((largest + 2))};" "$repo/ops/soft_plus/soft_plus.h"
run "$repo/hexane" new-op soft_max
expect_code 1
expect_in "$err" "exists already"

# The device is full: nothing is left behind.
if [ "$(id -u)" -ne 0 ]; then
    chmod a-w "$repo/ops"
    run "$repo/hexane" new-op soft_min
    expect_code 1
    expect_one_line
    chmod u+w "$repo/ops"
fi

finish
