// tests/harness/planner.cpp -- a fold over all ops.
#include "tests/harness/planner.h"

#include <cstring>

#include "ops/all_ops.h"

namespace hexane::testing {

namespace {

template <class Op> void try_op(const std::string &name, plan::node &n, const hardware &hw, planned &out) {
    if (name != Op::name) return;
    out.known = true;
    out.op = n.op = Op::id;
    const auto result = plan::plan<owner_of<Op>>(n, hw);
    out.accepted = result.accepted();
    if (!out.accepted) {
        out.text = result.reason();
        return;
    }
    std::memcpy(out.params.data(), &result.params(), sizeof(typename Op::kernel_params));
    out.vtcm_bytes = result.vtcm_bytes();
    out.text = plan::describe<owner_of<Op>>(result.params());
}

}  // namespace

planned plan_for(const std::string &op_name, plan::node n, const hardware &hw) {
    planned out;
    all_ops::for_each([&]<class Op>() { try_op<Op>(op_name, n, hw, out); });
    return out;
}

}  // namespace hexane::testing
