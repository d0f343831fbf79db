// ops/rms_norm/kernel.cpp -- whole rows through VTCM; rows that are too long for it in pieces: once to sum, once to
// scale.
#include "hvx/divide.h"
#include "hvx/elementwise.h"
#include "hvx/reduce.h"
#include "kernels/float_rows.h"
#include "kernels/row_passes.h"
#include "kernels/stream_rows.h"
#include "ops/rms_norm/rms_norm.h"

namespace hexane::kernels {

namespace {

using hvx::f32x32;

// Four running sums per lane, for four vectors of f32: ops/rms_norm/rms_norm.h has the order.
struct square_sums {
    f32x32 at[4];

    static square_sums zero() {
        const auto z = hvx::zero<f32x32>();
        return {z, z, z, z};
    }
};

// x where its lane is one of the first n, 0 elsewhere. Any n.
HEX_HVX f32x32 keep_first(int32_t n, f32x32 x) {
    return hvx::keep(hvx::first_lanes<f32x32>(static_cast<uint32_t>(base::min(base::max(n, 0), 32))), x);
}

// The squares of 32 or 64 elements that begin at `from`, added to two sums. Which lane of 16-bit elements goes to which
// of the two is the vocabulary's affair.
template <data_type T> struct squares {
    HEX_HVX static void add(hvx::chain (&sum)[2], const vtcm_byte *from) {
        const auto x = hvx::widen_lanes(hvx::load<vector_of<T>>(from));
        sum[0] = hvx::chain_mul_add(sum[0], x.lo, x.lo);
        sum[1] = hvx::chain_mul_add(sum[1], x.hi, x.hi);
    }
};
template <> struct squares<data_type::f16> {
    HEX_HVX static void add(hvx::chain (&sum)[2], const vtcm_byte *from) {
        const auto x = hvx::load<hvx::f16x64>(from);
        hvx::chain_mul_acc(sum, x, x);
    }
};
template <> struct squares<data_type::f32> {
    HEX_HVX static void add(hvx::chain (&sum)[2], const vtcm_byte *from) {
        for (uint32_t k = 0; k < 2; ++k) {
            const auto x = hvx::load<f32x32>(from + k * hvx::vector_bytes);
            sum[k] = hvx::chain_mul_add(sum[k], x, x);
        }
    }
};

// Adds the squares of the last n < 128 elements of a row.
template <data_type T> HEX_HVX void add_last_squares(square_sums &sums, const vtcm_byte *row, int32_t n) {
    for (int32_t pair = 0; pair < 2; ++pair, n -= 64, row += 64 * elements<T>::bytes) {
        if (n <= 0) return;
        const auto x = n > 32 ? elements<T>::load(row, 0, whole_step{}) : elements<T>::load(row, 0, lower_step{});
        const f32x32 lo = keep_first(n, x.lo), hi = keep_first(n - 32, x.hi);
        sums.at[2 * pair] = hvx::mul_add(sums.at[2 * pair], lo, lo);
        sums.at[2 * pair + 1] = hvx::mul_add(sums.at[2 * pair + 1], hi, hi);
    }
}

// Adds the squares of n elements. REQUIRES: n is a multiple of rows::col_granule, or this is the end of the row.
template <data_type T> HEX_HVX void add_squares(square_sums &sums, const vtcm_byte *row, uint32_t n) {
    constexpr uint32_t half = rows::col_granule / 2 * elements<T>::bytes;
    hvx::chain low[2] = {hvx::chain_of(sums.at[0]), hvx::chain_of(sums.at[1])};
    hvx::chain high[2] = {hvx::chain_of(sums.at[2]), hvx::chain_of(sums.at[3])};
#pragma clang loop unroll(disable)
    for (uint32_t granules = n / rows::col_granule; granules > 0; --granules) {
        squares<T>::add(low, row);
        squares<T>::add(high, row + half);
        row += 2 * half;
    }
    sums = {hvx::to_f32(low[0]), hvx::to_f32(low[1]), hvx::to_f32(high[0]), hvx::to_f32(high[1])};
    add_last_squares<T>(sums, row, static_cast<int32_t>(n % rows::col_granule));
}

// 1 / sqrt(mean + eps), in all lanes.
HEX_HVX f32x32 scale_of(const square_sums &s, const op::rms_norm::kernel_params &p) {
    const f32x32 total = hvx::sum_splat(hvx::add(hvx::add(s.at[0], s.at[1]), hvx::add(s.at[2], s.at[3])));
    const f32x32 mean = hvx::mul(total, hvx::splat<f32x32>(p.inverse_n));
    return hvx::rsqrt(hvx::add(mean, hvx::splat<f32x32>(p.eps)));
}

template <data_type T> HEX_HVX void scale_row(vtcm_byte *out, const vtcm_byte *in, uint32_t n, f32x32 scale) {
    using V = vector_of<T>;
    map_vectors<V>(
        short_body_of<T>{}, out, vectors_in<T>(n),
        [=](V x) __attribute__((always_inline)) { return hvx::scale_lanes(x, scale); }, in);
}

// A function of its own: over a loop of rows the compiler would keep the constants of all steps in registers, and spill.
template <data_type T>
[[gnu::noinline]] void normalise_row(vtcm_byte *out, const vtcm_byte *in, uint32_t n,
                                     const op::rms_norm::kernel_params &p) {
    square_sums sums = square_sums::zero();
    add_squares<T>(sums, in, n);
    scale_row<T>(out, in, n, scale_of(sums, p));
}

template <data_type T> void normalise_rows(const row_unit &u, const op::rms_norm::kernel_params &p) {
    for (uint32_t r = 0; r < u.rows; ++r) normalise_row<T>(u.out(r), u.in(1, r), u.cols, p);
}

// The same for a piece of a row. The sums are a worker's (kernels/row_passes.h): where they lie is no business of
// the functions that calculate.
template <data_type T> [[gnu::noinline]] void sum_piece(square_sums &sums, const vtcm_byte *in, uint32_t n) {
    add_squares<T>(sums, in, n);
}
template <data_type T> [[gnu::noinline]] void scale_piece(vtcm_byte *out, const vtcm_byte *in, uint32_t n,
                                                          const square_sums &sums,
                                                          const op::rms_norm::kernel_params &p) {
    scale_row<T>(out, in, n, scale_of(sums, p));
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
