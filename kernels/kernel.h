// kernels/kernel.h -- what the kernel of an op is, and the words of the runtime (htp/) that kernels are written in.
#pragma once

#include "htp/context.h"

namespace hexane::kernels {

using htp::cache_tracker;
using htp::context;
using htp::dma_addr_t;
using htp::dma_queue;
using htp::operand;
using htp::operands;
using htp::over;
using htp::status;
using htp::trace_scope;
using htp::traffic;
using htp::transfer;
using htp::vtcm_byte;
using htp::worker;

// The kernel of an op, specialised in ops/<op>/kernel.cpp. It trusts the plan: it never refuses, skips or returns early what the
// planner accepted, and it uses every field of its params. It drains every transfer that it pushes. It fails only for what no plan
// can know (an index read from a tensor).
template <class Op> status run(context &ctx, const typename Op::kernel_params &params, const operands &io);

}  // namespace hexane::kernels
