// htp/dispatch.h -- from an op id to the kernel that runs it.
#pragma once

#include "abi/op_id.h"
#include "htp/context.h"

namespace hexane::htp {

bool knows_op(op_id op);
const char *op_name(op_id op);

// Runs the kernel of `op` with the params that the planner wrote. REQUIRES: knows_op(op).
status run_op(op_id op, context &ctx, const uint8_t *kernel_params, const operands &io);

}  // namespace hexane::htp
