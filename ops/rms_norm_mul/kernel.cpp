// ops/rms_norm_mul/kernel.cpp -- rows through VTCM, where the norm is made and then multiplied: by the bodies of the two
// ops, so that the bits are theirs.
#include "ops/binary/kernel.h"
#include "kernels/stream_rows.h"
#include "ops/rms_norm/normalise.h"
#include "ops/rms_norm_mul/rms_norm_mul.h"

namespace hexane::kernels {

namespace {

using params = op::rms_norm_mul::kernel_params;

template <data_type T> void normalise_rows(const row_unit &u, const params &p) {
    for (uint32_t r = 0; r < u.rows; ++r) normalise_row<T>(u.out(r), u.in(1, r), u.cols, p.inverse_n, p.eps);
}
using rows_body = void (*)(const row_unit &, const params &);
constexpr of_float<rows_body> normalised = {normalise_rows<data_type::f32>, normalise_rows<data_type::f16>,
                                            normalise_rows<data_type::bf16>};

// The unit of the product: its first factor is what lies in the destination.
row_unit product_unit(const row_unit &u) {
    row_unit v = u;
    v.source[1] = u.destination;
    v.pitch[1] = u.pitch[0];
    return v;
}

}  // namespace

template <> status run<op::rms_norm_mul>(context &ctx, const params &p, const operands &io) {
    const operand &x = *io.src[0], &weights = *io.src[1];
    const row_nest nest(p.loops, {{io.dst[0]}, {&x}, {&weights}});
    const rows_body normalise = normalised[x.type];
    const binary_body multiply = product_bodies[x.type].with(x.type == weights.type, nest.splat(2));
    return stream_rows(ctx, nest, p.blocks, [&](const row_unit &u) {
        normalise(u, p);
        multiply(product_unit(u));
    });
}

}  // namespace hexane::kernels
