// ops/binary/kernel.cpp -- rows through VTCM; a src1 that repeats is a row or an element that many rows share.
#include "htp/float_rows.h"
#include "htp/stream_rows.h"
#include "hvx/divide.h"
#include "ops/binary/binary.h"

namespace hexane::htp {

namespace {

struct sum {
    HEX_HVX static hvx::f32x32 of(hvx::f32x32 a, hvx::f32x32 b) { return hvx::add(a, b); }
};
struct difference {
    HEX_HVX static hvx::f32x32 of(hvx::f32x32 a, hvx::f32x32 b) { return hvx::sub(a, b); }
};
struct product {
    HEX_HVX static hvx::f32x32 of(hvx::f32x32 a, hvx::f32x32 b) { return hvx::mul(a, b); }
};
struct quotient {
    HEX_HVX static hvx::f32x32 of(hvx::f32x32 a, hvx::f32x32 b) { return hvx::div(a, b); }
};

template <class Function, data_type A, data_type B> void rows_with_rows(const row_unit<3> &u) {
    for (uint32_t r = 0; r < u.rows; ++r) {
        const uint8_t *a = u.in(1, r), *b = u.in(2, r);
        uint8_t *out = u.out(r);
        for_each_step(u.cols, [=](uint32_t i, auto step) {
            const auto x = elements<A>::load(a, i, step), y = elements<B>::load(b, i, step);
            elements<A>::store(out, i, {Function::of(x.lo, y.lo), Function::of(x.hi, y.hi)}, step);
        });
    }
}

template <class Function, data_type A, data_type B> void rows_with_splats(const row_unit<3> &u) {
    for (uint32_t r = 0; r < u.rows; ++r) {
        const uint8_t *a = u.in(1, r);
        uint8_t *out = u.out(r);
        const hvx::f32x32 y = splat_element<B>(u.in(2, r));
        for_each_step(u.cols, [=](uint32_t i, auto step) {
            const auto x = elements<A>::load(a, i, step);
            elements<A>::store(out, i, {Function::of(x.lo, y), Function::of(x.hi, y)}, step);
        });
    }
}

using unit_body = void (*)(const row_unit<3> &);

template <class Function, data_type A> unit_body body_for(data_type b, bool splat) {
    if (b == A) return splat ? rows_with_splats<Function, A, A> : rows_with_rows<Function, A, A>;
    return splat ? rows_with_splats<Function, A, data_type::f32> : rows_with_rows<Function, A, data_type::f32>;
}

template <class Function> status run_binary(context &ctx, const binary_params &p, const operands &io) {
    const operand &a = *io.src[0], &b = *io.src[1], &dst = *io.dst[0];
    const rows::shape shapes[] = {shape_of(dst), shape_of(a), shape_of(b)};
    const auto nest = rows::make_nest(shapes, rows::row_kind::free);
    const dma_addr_t base[] = {dst.base, a.base, b.base};
    unit_body body = nullptr;
    with_float_type(a.type, [&]<data_type A>() { body = body_for<Function, A>(b.type, nest.splat(2)); });
    return stream_rows(ctx, nest, p.blocks, base, body);
}

}  // namespace

template <> status run<add>(context &ctx, const binary_params &p, const operands &io) {
    return run_binary<sum>(ctx, p, io);
}
template <> status run<sub>(context &ctx, const binary_params &p, const operands &io) {
    return run_binary<difference>(ctx, p, io);
}
template <> status run<mul>(context &ctx, const binary_params &p, const operands &io) {
    return run_binary<product>(ctx, p, io);
}
template <> status run<div>(context &ctx, const binary_params &p, const operands &io) {
    return run_binary<quotient>(ctx, p, io);
}

}  // namespace hexane::htp
