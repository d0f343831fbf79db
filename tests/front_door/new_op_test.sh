# new_op_test.sh -- the generator: what it makes, and that a refused name leaves the tree as it was.
# shellcheck source=tests/front_door/harness.sh
source "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

export HEXANE_ROOT=/
cp -r "$tree/abi" "$tree/ops" "$repo"
cp -r "$repo" "$box/before"

refuses() {
    run "$repo/hexane" new-op "$1"
    expect_code 1
    expect_one_line
    expect_in "$err" "$2"
    expect_true diff -rq "$box/before" "$repo"
}

refuses "Softmax" "not a snake_case name"
refuses "soft__max" "not a snake_case name"
refuses "_x" "not a snake_case name"
refuses "../x" "not a snake_case name"
refuses "" "not a snake_case name"
refuses "float" "reserved word"
refuses "noop" "exists already"
refuses "reglu" "exists already"
refuses "mul_mat" "exists already"

run "$repo/hexane" new-op soft_max
expect_code 0
expect_equal "$(ls "$repo/ops/soft_max")" "$(ls "$repo/ops/noop" | sed 's/noop/soft_max/' | sort)"
expect_equal "$(grep -rlwi noop "$repo/ops/soft_max" || true)" ""
expect_true grep -q '^#include "ops/soft_max/soft_max.h"$' "$repo/ops/all_ops.h"
expect_true grep -q 'op::soft_max>;$' "$repo/ops/all_ops.h"
largest=$(grep -hoE 'op_id id\{[0-9]+' "$tree"/ops/*/*.h | sed 's/.*{//' | sort -n | tail -1)
expect_true grep -q "op_id id{$((largest + 1))};" "$repo/ops/soft_max/soft_max.h"
run "$repo/tools/check_layers"
expect_code 0

# The next one comes after it; the same one is refused.
run "$repo/hexane" new-op soft_plus
expect_code 0
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
