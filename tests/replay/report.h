// tests/replay/report.h -- what a maintainer wants to see of a replayed op.
#pragma once

#include <string>

#include "host/op_record.h"
#include "tests/replay/rebuilt_op.h"

namespace hexane::testing {

struct report {
    bool right = false;
    std::string verdict;  // one line
    std::string details;  // indented lines: op, sessions, plans, errors
};

// A record that cannot be run, because it was made without its operands' bytes.
report describe_only(const host::op_record &r, const rebuilt_op &op);

// Judges what ran here, and what was recorded, by the op's rule. `same_bits`: other bits than recorded are wrong too.
report judge(const host::op_record &r, const rebuilt_op &op, const replayed &here, bool same_bits);

}  // namespace hexane::testing
