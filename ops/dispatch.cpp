// ops/dispatch.cpp -- the dispatch table: a fold over ops/all_ops.h.
#include "htp/dispatch.h"

#include "kernels/kernel.h"
#include "ops/all_ops.h"

namespace hexane::htp {

namespace {

struct entry {
    op_info info{};
    status (*run)(op_id, context &, const uint8_t *, const operands &) = nullptr;
};

template <class Owner> status run_erased(op_id op, context &ctx, const uint8_t *bytes, const operands &io) {
    typename Owner::kernel_params params;
    __builtin_memcpy(&params, bytes, sizeof params);
    return kernels::run_owned<Owner>(op, ctx, params, io);
}

struct dispatch_table {
    entry entries[all_ops::id_limit];

    constexpr dispatch_table() : entries{} {
        all_ops::for_each([this]<class Op>() {
            entries[static_cast<uint32_t>(Op::id)] = {{Op::name, Op::n_sources}, run_erased<owner_of<Op>>};
        });
    }
};
constexpr dispatch_table table;

}  // namespace

uint64_t library_digest() { return abi_digest; }

const op_info *find_op(op_id op) {
    const auto i = static_cast<uint32_t>(op);
    return i < all_ops::id_limit && table.entries[i].run ? &table.entries[i].info : nullptr;
}

status run_op(op_id op, context &ctx, const uint8_t *kernel_params, const operands &io) {
    return table.entries[static_cast<uint32_t>(op)].run(op, ctx, kernel_params, io);
}

}  // namespace hexane::htp
