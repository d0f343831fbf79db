// ops/row_wise/kernel.cpp -- rows through VTCM, one formula for every element.
#include "hvx/elementwise.h"
#include "kernels/float_rows.h"
#include "kernels/stream_rows.h"
#include "ops/row_wise/row_wise.h"

namespace hexane::kernels {

namespace {

// The formula, for 32 elements.
HEX_HVX hvx::f32x32 row_wise_of(hvx::f32x32 x) { return hvx::mul(x, x); }

// The rows of one unit. Which body, and why it is not inlined: docs/registers.md.
template <data_type T> [[gnu::noinline]] void row_wise_rows(const row_unit &u) {
    using V = vector_of<T>;
    const auto each = [](V x) __attribute__((always_inline)) {
        return hvx::elementwise([](hvx::f32x32 v) __attribute__((always_inline)) { return row_wise_of(v); }, x);
    };
    for (uint32_t r = 0; r < u.rows; ++r)
        map_vectors<V>(long_body{}, u.out(r), vectors_in<T>(u.cols), each, u.in(1, r));
}

using rows_body = void (*)(const row_unit &);
constexpr of_float<rows_body> bodies = {row_wise_rows<data_type::f32>, row_wise_rows<data_type::f16>,
                                        row_wise_rows<data_type::bf16>};

}  // namespace

template <> status run<op::row_wise>(context &ctx, const op::row_wise::kernel_params &p, const operands &io) {
    return stream_rows(ctx, row_nest(p.loops, {{io.dst[0]}, {io.src[0]}}), p.blocks, bodies[io.src[0]->type]);
}

}  // namespace hexane::kernels
