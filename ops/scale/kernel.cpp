// ops/scale/kernel.cpp -- rows through VTCM, one multiply and one add per element.
#include "htp/float_rows.h"
#include "htp/stream_rows.h"
#include "ops/scale/scale.h"

namespace hexane::htp {

namespace {

template <data_type T> void scale_rows(const row_unit<2> &u, float factor, float bias) {
    const auto f = hvx::splat<hvx::f32x32>(factor), b = hvx::splat<hvx::f32x32>(bias);
    for (uint32_t r = 0; r < u.rows; ++r) {
        const uint8_t *in = u.in(1, r);
        uint8_t *out = u.out(r);
        for_each_step(u.cols, [=](uint32_t i, auto step) {
            const auto x = elements<T>::load(in, i, step);
            elements<T>::store(out, i, {hvx::mul_add(b, x.lo, f), hvx::mul_add(b, x.hi, f)}, step);
        });
    }
}

}  // namespace

template <> status run<scale>(context &ctx, const scale::kernel_params &p, const operands &io) {
    const operand &src = *io.src[0], &dst = *io.dst[0];
    const rows::shape shapes[] = {shape_of(dst), shape_of(src)};
    const auto nest = rows::make_nest(shapes, rows::row_kind::free);
    const dma_addr_t base[] = {dst.base, src.base};
    return stream_rows(ctx, nest, p.blocks, base, [&](const row_unit<2> &u) {
        with_float_type(src.type, [&]<data_type T>() { scale_rows<T>(u, p.factor, p.bias); });
    });
}

}  // namespace hexane::htp
