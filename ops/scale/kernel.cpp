// ops/scale/kernel.cpp -- rows through VTCM, one multiply and one add per element.
#include "hvx/elementwise.h"
#include "kernels/float_rows.h"
#include "kernels/stream_rows.h"
#include "ops/scale/scale.h"

namespace hexane::kernels {

namespace {

template <data_type T> [[gnu::noinline]] void scale_rows(const row_unit<2> &u, float factor, float bias) {
    using V = vector_of<T>;
    const auto f = hvx::splat<hvx::f32x32>(factor), b = hvx::splat<hvx::f32x32>(bias);
    for (uint32_t r = 0; r < u.rows; ++r)
        map_vectors<V>(
            short_body_of<T>{}, u.out(r), vectors_in<T>(u.cols),
            [=](V x) __attribute__((always_inline)) { return hvx::scale_lanes(x, f, b); }, u.in(1, r));
}

}  // namespace

template <> status run<op::scale>(context &ctx, const op::scale::kernel_params &p, const operands &io) {
    const operand &src = *io.src[0], &dst = *io.dst[0];
    const rows::shape shapes[] = {shape_of(dst), shape_of(src)};
    const auto nest = rows::make_nest(shapes, op::scale::row_kind);
    const dma_addr_t base[] = {dst.base, src.base};
    return stream_rows(ctx, nest, p.blocks, base, [&](const row_unit<2> &u) {
        with_float_type(src.type, [&]<data_type T>() { scale_rows<T>(u, p.factor, p.bias); });
    });
}

}  // namespace hexane::kernels
