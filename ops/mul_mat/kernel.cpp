// ops/mul_mat/kernel.cpp -- the passes: prepare columns, multiply, one after the other.
#include "ops/mul_mat/kernel.h"

namespace hexane::kernels {

namespace {

using namespace matmul;

status run_pass(context &ctx, product &x) {
    x.columns = column_layout::of(x.kind, x.now.k, uint64_t{x.now.n_columns} * x.now.n_slices);
    const status prepared = prepare(ctx, x);
    return prepared.failed() ? prepared : multiply(ctx, x);
}

}  // namespace

template <> status run<op::mul_mat>(context &ctx, const op::mul_mat::kernel_params &p, const operands &io) {
    product x{.p = p,
              .weights = *io.src[0],
              .activations = *io.src[1],
              .dst = *io.dst[0],
              .kind = kind_of(io.src[0]->type, io.src[0]->tiled),
              .scratch = ctx.scratch.data(),
              .now = {},
              .columns = {}};
    const uint32_t n_slices = x.weights.ne[2] * x.weights.ne[3];
    const uint32_t n_columns = p.columns.divisor * p.broadcast.divisor * p.broadcast3.divisor;
    const uint32_t k = x.weights.ne[0];
    for (uint32_t slice = 0; slice < n_slices; slice += p.slices_per_pass) {
        for (uint32_t column = 0; column < n_columns; column += p.columns_per_pass) {
            // k innermost and ascending: a pass adds to what the one before it left in dst.
            for (uint32_t k_begin = 0; k_begin < k; k_begin += p.k_per_pass) {
                x.now = {slice,   base::min(p.slices_per_pass, n_slices - slice),
                         column,  base::min(p.columns_per_pass, n_columns - column),
                         k_begin, base::min(p.k_per_pass, k - k_begin)};
                const status done = run_pass(ctx, x);
                if (done.failed()) return done;
            }
        }
    }
    return status::ok();
}

}  // namespace hexane::kernels
