// tests/fuzz/plan_input.h -- from bytes to a question to a planner: an op, a node of it, and two kinds of hardware.
#pragma once

#include <cstdint>

#include "abi/hardware.h"
#include "ops/all_ops.h"
#include "plan/plan.h"

namespace hexane::fuzz {

struct plan_input {
    uint32_t op_index;  // in all_ops
    plan::node node;    // node.op is set
    hardware hw;
    hardware larger;  // at least as much of everything, the same arch
};

// Shapes begin as ones that the op can have, then any field may become anything. Whether ggml would build such a node
// does not matter: a planner has to survive all of them.
plan_input read_plan_input(const uint8_t *bytes, size_t n);

}  // namespace hexane::fuzz
