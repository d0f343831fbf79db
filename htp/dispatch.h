// htp/dispatch.h -- from an op id to the kernel that runs it: what the runtime asks of the list of ops, which it does not know.
// ops/dispatch.cpp answers.
#pragma once

#include "abi/op_id.h"
#include "htp/context.h"
#include "htp/op_info.h"

namespace hexane::htp {

// Digest of the ABI that this library was built with (ops/op_list.h).
uint64_t library_digest();

// Null for an op that this library does not have.
const op_info *find_op(op_id op);

// Runs the kernel of `op` with the params that the planner wrote. REQUIRES: find_op(op).
status run_op(op_id op, context &ctx, const uint8_t *kernel_params, const operands &io);

}  // namespace hexane::htp
