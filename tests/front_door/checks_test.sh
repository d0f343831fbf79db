# checks_test.sh -- every check fails on what it is there for, and says where.
# shellcheck source=tests/front_door/harness.sh
source "$(dirname "${BASH_SOURCE[0]}")/harness.sh"

# Usage: finds CHECK FILE "TEXT OF THE FILE" "TEXT OF THE COMPLAINT"
finds() {
    mkdir -p "$(dirname "$repo/$2")"
    printf '%b' "$3" >"$repo/$2"
    run "$repo/tools/check_$1"
    expect_code 1
    expect_in "$out" "$2:"
    expect_in "$out" "$4"
    rm "$repo/$2"
    run "$repo/tools/check_$1"
    expect_code 0
}

mkdir -p "$repo"/{abi,base,host,htp,hvx,kernels,plan,ops/add,virtual/hvx,virtual/session}
touch "$repo"/{abi/batch.h,base/align.h,plan/plan.h,host/session.h,htp/context.h,kernels/rows.h,ops/add/add.h,hvx/f32.h}
touch "$repo"/virtual/{hvx/hexagon_protos.h,session/vtcm.h}

finds layers abi/a.h '#include "htp/context.h"\n' "abi must not include htp"
finds layers base/a.h 'int x;\n#include "hvx/f32.h"\n' "base/a.h:2"
finds layers htp/a.cpp '#include "plan/plan.h"\n' "htp must not include plan"
finds layers host/a.cpp '#include "htp/context.h"\n' "host must not include htp"
finds layers host/a.cpp '#include "virtual/session/vtcm.h"\n' "included by nobody outside"
finds layers plan/a.cpp '#include "host/session.h"\n' "plan must not include host"
finds layers htp/a.cpp '#include "hvx/f32.h"\n' "htp must not include hvx"
finds layers htp/a.cpp '#include "kernels/rows.h"\n' "htp must not include kernels"
finds layers htp/a.cpp '#include "ops/add/add.h"\n' "htp must not include op header"
finds layers hvx/a.h '#include "virtual/session/vtcm.h"\n' "included by nobody outside"
finds layers ops/add/add.h '#include "htp/context.h"\n' "op header must not include htp"
touch "$repo/ops/add/add.h"
echo '#include "htp/context.h"' >"$repo/ops/add/body.h"
finds layers ops/add/plan.cpp '#include "body.h"\n' "op planner must not include op kernel"
finds layers ops/add/plan.cpp '#include "htp/context.h"\n' "op planner must not include htp"
finds layers ops/add/plan.cpp '#include "host/session.h"\n' "op planner must not include host"
finds layers ops/add/kernel.cpp '#include "plan/plan.h"\n' "op kernel must not include plan"
printf '#include "htp/context.h"\n#include "add.h"\n' >"$repo/ops/add/kernel.cpp"
printf '#include "plan/plan.h"\n#include "ops/add/add.h"\n' >"$repo/ops/add/plan.cpp"
run "$repo/tools/check_layers"
expect_code 0

body=$(for ((i = 0; i < 100; i++)); do printf '    x();\\n'; done)
finds function_length host/a.cpp "namespace a {\n\nvoid f() {\n$body}\n}\n" "host/a.cpp:3: 102 lines"
finds function_length host/a.cpp "struct s {\n  public:\n    s() : a{1}, b(2) {\n$body    }\n};\n" "host/a.cpp:3: 102 lines"
finds function_length host/a.h "template <class T> auto f(T t) -> vec<int>\n{\n$body}\n" "host/a.h:1: 103 lines"
finds function_length tools/a.py "def f():\n${body}" "tools/a.py:1: 101 lines"
printf '%b' "struct s {\n$body};\nint t[] = {\n$body};\n" >"$repo/host/a.h"
run "$repo/tools/check_function_length"
expect_code 0
rm "$repo/host/a.h"

finds names host/utils.h "\n" "says nothing"
finds names host/helpers.cpp "\n" "says nothing"
finds names host/a.cpp "$(for ((i = 0; i < 801; i++)); do printf '\\n'; done)" "801 lines"
finds names docs/a.md "x\nhttps:/""/deb.example.org/debian\n" "docs/a.md:2: names a package server"
finds names tools/a.sh "cd /wo""rk/x\n" "a path of one machine"

echo '# A heading: `code` and more' >"$repo/README.md"
finds docs docs/a.md "x\n[y](nowhere.md)\n" "docs/a.md:2: 'nowhere.md' leads nowhere"
finds docs docs/a.md "[y](../README.md#nothing)\n" "no such heading"
printf '[y](../README.md) [z](../README.md#a-heading-code-and-more) `[a](b)` [u](https://x)\n```\n[a](b)\n```\n' >"$repo/docs/a.md"
run "$repo/tools/check_docs"
expect_code 0

# The format check goes by the exit code of clang-format, and tells what was said.
check_format() {
    # shellcheck disable=SC2016 # for the inner shell
    run bash -c 'hexane_repo=$1; say() { echo "$*" >&2; }; source "$1/tools/hexane.d/lint.sh"; check_format' bash "$repo"
}
stand_in clang-format-22 <<<'exit 0'
check_format
expect_code 0
stand_in clang-format-22 <<<'exit 255'
check_format
expect_code 1
expect_in "$err" "clang-format-22 failed"
stand_in clang-format-22 <<<'echo "x.h: Permission denied" >&2; exit 1'
check_format
expect_code 1
expect_in "$err" "x.h: Permission denied"
stand_in clang-format-22 <<E
echo "$repo/abi/a file.h:3:7: error: code should be clang-formatted [-Wclang-format-violations]" >&2
exit 1
E
check_format
expect_code 1
expect_in "$err" "abi/a file.h"
expect_in "$err" "run ./hexane fmt"

# What writes pages says what it wants, and writes nothing.
refuses_argument() {
    run "$repo/tools/$1" "$2"
    expect_code 2
    expect_one_line
    expect_in "$err" "$3"
}
refuses_argument op_pages --bogus "got '--bogus'"
refuses_argument op_pages "$box/none" "there is no $box/none"
refuses_argument object_table "$box/none" "no library $box/none"

finish
