// ops/rms_norm/normalise.h -- the arithmetic of a row: its squares, summed in the order of ops/rms_norm/rms_norm.h, and
// the row scaled by them. For RMS_NORM and for ops that begin with it.
#pragma once

#include "hvx/divide.h"
#include "hvx/elementwise.h"
#include "hvx/reduce.h"
#include "kernels/float_rows.h"

namespace hexane::kernels {

// Four running sums per lane, for four vectors of f32: ops/rms_norm/rms_norm.h has the order.
struct square_sums {
    hvx::f32x32 at[4];

    static square_sums zero() {
        const auto z = hvx::zero<hvx::f32x32>();
        return {z, z, z, z};
    }
};

// x where its lane is one of the first n, 0 elsewhere. Any n.
HEX_HVX hvx::f32x32 keep_first(int32_t n, hvx::f32x32 x) {
    return hvx::keep(hvx::first_lanes<hvx::f32x32>(static_cast<uint32_t>(base::min(base::max(n, 0), 32))), x);
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
            const auto x = hvx::load<hvx::f32x32>(from + k * hvx::vector_bytes);
            sum[k] = hvx::chain_mul_add(sum[k], x, x);
        }
    }
};

// Adds the squares of the last n < 128 elements of a row.
template <data_type T> HEX_HVX void add_last_squares(square_sums &sums, const vtcm_byte *row, int32_t n) {
    for (int32_t pair = 0; pair < 2; ++pair, n -= 64, row += 64 * elements<T>::bytes) {
        if (n <= 0) return;
        const auto x = n > 32 ? elements<T>::load(row, 0, whole_step{}) : elements<T>::load(row, 0, lower_step{});
        const hvx::f32x32 lo = keep_first(n, x.lo), hi = keep_first(n - 32, x.hi);
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
HEX_HVX hvx::f32x32 scale_of(const square_sums &s, float inverse_n, float eps) {
    const hvx::f32x32 total = hvx::sum_splat(hvx::add(hvx::add(s.at[0], s.at[1]), hvx::add(s.at[2], s.at[3])));
    const hvx::f32x32 mean = hvx::mul(total, hvx::splat<hvx::f32x32>(inverse_n));
    return hvx::rsqrt(hvx::add(mean, hvx::splat<hvx::f32x32>(eps)));
}

template <data_type T> HEX_HVX void scale_row(vtcm_byte *out, const vtcm_byte *in, uint32_t n, hvx::f32x32 scale) {
    using V = vector_of<T>;
    map_vectors<V>(
        short_body_of<T>{}, out, vectors_in<T>(n),
        [=](V x) __attribute__((always_inline)) { return hvx::scale_lanes(x, scale); }, in);
}

// A function of its own: over a loop of rows the compiler would keep the constants of all steps in registers, and spill.
template <data_type T>
[[gnu::noinline]] void normalise_row(vtcm_byte *out, const vtcm_byte *in, uint32_t n, float inverse_n, float eps) {
    square_sums sums = square_sums::zero();
    add_squares<T>(sums, in, n);
    scale_row<T>(out, in, n, scale_of(sums, inverse_n, eps));
}

}  // namespace hexane::kernels
