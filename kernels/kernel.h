// kernels/kernel.h -- what the kernel of an op is, and the words of the runtime (htp/) that kernels are written in.
#pragma once

#include "abi/op_id.h"
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

// The kernel of a family, specialised in ops/<family>/kernel.cpp: runs its member `op`.
template <class Family>
status run_member(op_id op, context &ctx, const typename Family::kernel_params &params, const operands &io);

// Either of the two. `op` is the op that runs, Owner what has its kernel: owner_of<Op>.
template <class Owner>
status run_owned(op_id op, context &ctx, const typename Owner::kernel_params &params, const operands &io) {
    if constexpr (requires { typename Owner::members; }) {
        return run_member<Owner>(op, ctx, params, io);
    } else {
        return run<Owner>(ctx, params, io);
    }
}

// The row of a family's table whose `id` is `op`. REQUIRES: there is one; covers() saw to it.
template <class Row, uint32_t N> const Row &row_of(const Row (&table)[N], op_id op) {
    uint32_t i = 0;
    while (table[i].id != op) ++i;
    return table[i];
}

// Whether a table has one row for each member of a family, and no other.
template <class Row, uint32_t N, class... Ops> constexpr bool covers(const Row (&table)[N], op_members<Ops...>) {
    const auto rows = [&](op_id op) {
        uint32_t n = 0;
        for (const Row &r : table) n += r.id == op;
        return n;
    };
    return N == sizeof...(Ops) && ((rows(Ops::id) == 1) && ...);
}

}  // namespace hexane::kernels
