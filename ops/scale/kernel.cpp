// ops/scale/kernel.cpp -- rows through VTCM, one multiply and one add per element.
#include "hvx/elementwise.h"
#include "kernels/float_rows.h"
#include "kernels/stream_rows.h"
#include "ops/scale/scale.h"

namespace hexane::kernels {

namespace {

template <data_type T> [[gnu::noinline]] void scale_rows(const row_unit &u, float factor, float bias) {
    using V = vector_of<T>;
    const auto f = hvx::splat<hvx::f32x32>(factor), b = hvx::splat<hvx::f32x32>(bias);
    for (uint32_t r = 0; r < u.rows; ++r)
        map_vectors<V>(
            short_body_of<T>{}, u.out(r), vectors_in<T>(u.cols),
            [=](V x) __attribute__((always_inline)) { return hvx::scale_lanes(x, f, b); }, u.in(1, r));
}

using scale_body = void (*)(const row_unit &, float, float);

}  // namespace

template <> status run<op::scale>(context &ctx, const op::scale::kernel_params &p, const operands &io) {
    const auto body = of_float<scale_body>{scale_rows<data_type::f32>, scale_rows<data_type::f16>,
                                           scale_rows<data_type::bf16>}[io.src[0]->type];
    return stream_rows(ctx, row_nest(p.loops, {{io.dst[0]}, {io.src[0]}}), p.blocks,
                       [&](const row_unit &u) { body(u, p.factor, p.bias); });
}

}  // namespace hexane::kernels
