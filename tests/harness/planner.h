// tests/harness/planner.h -- any op's planner, by the name of the op.
#pragma once

#include <array>
#include <string>

#include "abi/hardware.h"
#include "plan/plan.h"

namespace hexane::testing {

struct planned {
    bool known = false;  // there is an op of that name
    bool accepted = false;
    op_id op{};
    uint64_t vtcm_bytes = 0;  // of an accepted plan
    std::string text;         // the description of an accepted plan, or the reason of a rejection
    alignas(8) std::array<uint8_t, kernel_params_bytes> params{};
};

planned plan_for(const std::string &op_name, plan::node n, const hardware &hw);

}  // namespace hexane::testing
