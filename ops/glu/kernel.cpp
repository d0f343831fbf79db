// ops/glu/kernel.cpp -- both halves through VTCM, one pass in registers.
#include "htp/float_rows.h"
#include "htp/stream_rows.h"
#include "hvx/activation.h"
#include "ops/glu/glu.h"

namespace hexane::htp {

namespace {

using hvx::f32x32;

// The activation of a variant and what becomes of the other half; built once per unit, from the params.
struct relu_gate {
    explicit relu_gate(const glu_params &) {}
    HEX_HVX f32x32 operator()(f32x32 x, f32x32 g) const {
        const auto zero = hvx::zero<f32x32>();
        return hvx::select(hvx::greater(x, zero), hvx::mul(x, g), zero);  // 0 even where g is infinite
    }
};

struct gelu_gate {
    explicit gelu_gate(const glu_params &) {}
    HEX_HVX f32x32 operator()(f32x32 x, f32x32 g) const { return hvx::mul(hvx::gelu_tanh(x), g); }
};

struct silu_gate {
    explicit silu_gate(const glu_params &) {}
    HEX_HVX f32x32 operator()(f32x32 x, f32x32 g) const { return hvx::mul(hvx::silu(x), g); }
};

struct oai_gate {
    float alpha, limit;
    explicit oai_gate(const glu_params &p) : alpha(p.alpha), limit(p.limit) {}
    HEX_HVX f32x32 operator()(f32x32 x, f32x32 g) const {
        const auto most = hvx::splat<f32x32>(limit), least = hvx::splat<f32x32>(-limit);
        const f32x32 gate = hvx::min(x, most);
        const f32x32 up = hvx::max(hvx::min(g, most), least);
        const f32x32 swish = hvx::mul(gate, hvx::sigmoid(hvx::mul(gate, hvx::splat<f32x32>(alpha))));
        return hvx::mul(swish, hvx::add(up, hvx::splat<f32x32>(1.0f)));
    }
};

struct gelu_erf_gate {
    explicit gelu_erf_gate(const glu_params &) {}
    HEX_HVX f32x32 operator()(f32x32 x, f32x32 g) const { return hvx::mul(hvx::gelu_erf(x), g); }
};

struct gelu_quick_gate {
    explicit gelu_quick_gate(const glu_params &) {}
    HEX_HVX f32x32 operator()(f32x32 x, f32x32 g) const { return hvx::mul(hvx::gelu_quick(x), g); }
};

template <data_type T, class Gate> void gate_rows(const row_unit<3> &u, Gate gate) {
    for (uint32_t r = 0; r < u.rows; ++r) {
        const uint8_t *x = u.in(1, r), *g = u.in(2, r);
        uint8_t *out = u.out(r);
        for_each_step(u.cols, [=](uint32_t i, auto step) {
            const auto a = elements<T>::load(x, i, step), b = elements<T>::load(g, i, step);
            elements<T>::store(out, i, {gate(a.lo, b.lo), gate(a.hi, b.hi)}, step);
        });
    }
}

// The x or g half of a source: the shape of dst with the strides of its tensor.
rows::shape half_of(const operand &source, const operand &dst) {
    rows::shape s = shape_of(source);
    s.ne[0] = dst.ne[0];
    return s;
}

template <class Gate> status run_glu(context &ctx, const glu_params &p, const operands &io) {
    const operand &a = *io.src[0], &b = io.src[1] ? *io.src[1] : a, &dst = *io.dst[0];
    const rows::shape shapes[] = {shape_of(dst), half_of(a, dst), half_of(b, dst)};
    const auto nest = rows::make_nest(shapes, rows::row_kind::free);
    const dma_addr_t base[] = {dst.base, a.base + p.x_offset, b.base + p.g_offset};
    const Gate gate(p);
    return stream_rows(ctx, nest, p.blocks, base, [&](const row_unit<3> &u) {
        with_float_type(dst.type, [&]<data_type T>() { gate_rows<T>(u, gate); });
    });
}

}  // namespace

template <> status run<reglu>(context &ctx, const glu_params &p, const operands &io) {
    return run_glu<relu_gate>(ctx, p, io);
}
template <> status run<geglu>(context &ctx, const glu_params &p, const operands &io) {
    return run_glu<gelu_gate>(ctx, p, io);
}
template <> status run<swiglu>(context &ctx, const glu_params &p, const operands &io) {
    return run_glu<silu_gate>(ctx, p, io);
}
template <> status run<swiglu_oai>(context &ctx, const glu_params &p, const operands &io) {
    return run_glu<oai_gate>(ctx, p, io);
}
template <> status run<geglu_erf>(context &ctx, const glu_params &p, const operands &io) {
    return run_glu<gelu_erf_gate>(ctx, p, io);
}
template <> status run<geglu_quick>(context &ctx, const glu_params &p, const operands &io) {
    return run_glu<gelu_quick_gate>(ctx, p, io);
}

}  // namespace hexane::htp
