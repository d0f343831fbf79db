// ops/rms_norm/kernel.cpp -- whole rows through VTCM; rows that are too long for it in pieces: once to sum, once to
// scale.
#include "kernels/float_rows.h"
#include "kernels/row_passes.h"
#include "kernels/stream_rows.h"
#include "ops/rms_norm/normalise.h"
#include "ops/rms_norm/rms_norm.h"

namespace hexane::kernels {

namespace {

template <data_type T> void normalise_rows(const row_unit &u, const op::rms_norm::kernel_params &p) {
    for (uint32_t r = 0; r < u.rows; ++r) normalise_row<T>(u.out(r), u.in(1, r), u.cols, p.inverse_n, p.eps);
}

// The same for a piece of a row. The sums are a worker's (kernels/row_passes.h): where they lie is no business of
// the functions that calculate.
template <data_type T> [[gnu::noinline]] void sum_piece(square_sums &sums, const vtcm_byte *in, uint32_t n) {
    add_squares<T>(sums, in, n);
}
template <data_type T> [[gnu::noinline]] void scale_piece(vtcm_byte *out, const vtcm_byte *in, uint32_t n,
                                                          const square_sums &sums,
                                                          const op::rms_norm::kernel_params &p) {
    scale_row<T>(out, in, n, scale_of(sums, p.inverse_n, p.eps));
}
[[gnu::noinline]] void clear(square_sums &sums) { sums = square_sums::zero(); }

// What the two passes over a long row do with a piece of it.
template <data_type T>
void normalise_piece(square_sums &sums, const row_piece &piece, const op::rms_norm::kernel_params &p) {
    if (piece.pass == 1) return scale_piece<T>(piece.destination, piece.source[1], piece.cols, sums, p);
    if (piece.col == 0) clear(sums);
    sum_piece<T>(sums, piece.source[1], piece.cols);
}
constexpr uint32_t sources_of_passes[] = {1u << 1, 1u << 1};

using params = op::rms_norm::kernel_params;
using rows_body = void (*)(const row_unit &, const params &);
using piece_body = void (*)(square_sums &, const row_piece &, const params &);
constexpr of_float<rows_body> whole_rows = {normalise_rows<data_type::f32>, normalise_rows<data_type::f16>,
                                            normalise_rows<data_type::bf16>};
constexpr of_float<piece_body> pieces = {normalise_piece<data_type::f32>, normalise_piece<data_type::f16>,
                                         normalise_piece<data_type::bf16>};

}  // namespace

template <> status run<op::rms_norm>(context &ctx, const params &p, const operands &io) {
    const data_type type = io.src[0]->type;
    const row_nest nest(p.loops, {{io.dst[0]}, {io.src[0]}});
    if (p.blocks.cols == nest.extent[0]) {
        const rows_body body = whole_rows[type];
        return stream_rows(ctx, nest, p.blocks, [&](const row_unit &u) { body(u, p); });
    }
    const piece_body body = pieces[type];
    return stream_passes<square_sums>(ctx, nest, p.blocks, sources_of_passes,
                                      [&](square_sums &sums, const row_piece &piece) { body(sums, piece, p); });
}

}  // namespace hexane::kernels
