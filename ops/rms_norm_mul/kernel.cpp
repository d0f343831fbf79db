// ops/rms_norm_mul/kernel.cpp -- rows through VTCM, where the norm is made and then multiplied: by the bodies of the two
// ops, so that the bits are theirs.
#include "ops/binary/kernel.h"
#include "kernels/stream_rows.h"
#include "ops/rms_norm/normalise.h"
#include "ops/rms_norm_mul/rms_norm_mul.h"

namespace hexane::kernels {

namespace {

template <data_type T> void normalise_rows(const row_unit<3> &u, const op::rms_norm_mul::kernel_params &p) {
    for (uint32_t r = 0; r < u.rows; ++r) normalise_row<T>(u.out(r), u.in(1, r), u.cols, p.inverse_n, p.eps);
}

// The unit of the product: its first factor is what lies in the destination.
row_unit<3> product_unit(const row_unit<3> &u) {
    row_unit<3> v = u;
    v.source[1] = u.destination;
    v.pitch[1] = u.pitch[0];
    return v;
}

}  // namespace

template <> status run<op::rms_norm_mul>(context &ctx, const op::rms_norm_mul::kernel_params &p, const operands &io) {
    const operand &x = *io.src[0], &weights = *io.src[1], &dst = *io.dst[0];
    const rows::shape shapes[] = {shape_of(dst), shape_of(x), shape_of(weights)};
    const auto nest = rows::make_nest(shapes, rows::row_kind::whole);
    const dma_addr_t base[] = {dst.base, x.base, weights.base};
    const binary_body multiply = product_body(x.type, weights.type, nest.splat(2));
    return stream_rows(ctx, nest, p.blocks, base, [&](const row_unit<3> &u) {
        with_float_type(x.type, [&]<data_type T>() { normalise_rows<T>(u, p); });
        multiply(product_unit(u));
    });
}

}  // namespace hexane::kernels
