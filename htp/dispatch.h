// htp/dispatch.h -- from an op id to the kernel that runs it.
#pragma once

#include "abi/op_id.h"
#include "htp/context.h"
#include "htp/op_info.h"

namespace hexane::htp {

// Null for an op that this library does not have.
const op_info *find_op(op_id op);

// Runs the kernel of `op` with the params that the planner wrote. REQUIRES: find_op(op).
status run_op(op_id op, context &ctx, const uint8_t *kernel_params, const operands &io);

}  // namespace hexane::htp
