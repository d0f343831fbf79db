// ops/mul_mat/columns.h -- the forms that columns take in the scratch area, one row of src1 or one group of blocks at a
// time (layout.h says where they lie):
//
//   int8 blocks           quantised weights
//   f32 segments          F16, BF16, F32, transposed
//   f32, f32 parted, f16  F32, BF16, F16 along k
#pragma once

#include "hvx/divide.h"
#include "hvx/float16.h"
#include "hvx/memory.h"
#include "hvx/reduce.h"
#include "kernels/float_rows.h"
#include "ops/mul_mat/fold.h"
#include "ops/mul_mat/layout.h"

namespace hexane::matmul {

using htp::vtcm_byte;

using kernels::elements;

// Calls use(i, elements 64i .. 64i + 63) for all of `k` elements; those that are not there are 0. Touches no vector that has
// none of them.
template <data_type T, class Use> HEX_HVX void for_each_64(const vtcm_byte *row, uint32_t k, Use &&use) {
    using namespace hvx;
    const uint32_t whole = k / 64, rest = k % 64;
    for (uint32_t i = 0; i < whole; ++i) use(i, elements<T>::load(row, 64 * i, kernels::whole_step{}));
    if (rest == 0) return;
    if (rest <= 32) {
        const f32x32 lo = elements<T>::load(row, 64 * whole, kernels::lower_step{}).lo;
        use(whole, f32x32x2{keep(first_lanes<f32x32>(rest), lo), zero<f32x32>()});
    } else {
        const f32x32x2 v = elements<T>::load(row, 64 * whole, kernels::whole_step{});
        use(whole, f32x32x2{v.lo, keep(first_lanes<f32x32>(rest - 32), v.hi)});
    }
}

// -- f32 and f16

// `k` elements as f32, with zeros up to a multiple of 64, to VTCM or to the scratch area. Parted: of every 64, those at
// even k first.
template <data_type T, bool Parted> [[gnu::noinline]] void widen(void *at, const vtcm_byte *row, uint32_t k) {
    using namespace hvx;
    auto *to = static_cast<vtcm_byte *>(at);
    for_each_64<T>(row, k, [&](uint32_t i, f32x32x2 v) __attribute__((always_inline)) {
        const auto parted = deal_words(v.lo, v.hi);
        store(to + 2 * i * vector_bytes, Parted ? parted.lo : v.lo);
        store(to + (2 * i + 1) * vector_bytes, Parted ? parted.hi : v.hi);
    });
}

// f16 as they are, with zeros up to a multiple of 64.
[[gnu::noinline]] inline void copy_f16(uint8_t *to, const vtcm_byte *row, uint32_t k) {
    using namespace hvx;
    const uint32_t whole = k / 64, rest = k % 64;
    for (uint32_t i = 0; i < whole; ++i) store(to + i * vector_bytes, load<f16x64>(row + i * vector_bytes));
    if (rest == 0) return;
    store(to + whole * vector_bytes, keep(first_lanes<f16x64>(rest), load<f16x64>(row + whole * vector_bytes)));
}

// The largest magnitude of `k` elements; a NaN counts as larger than everything.
template <data_type T> [[gnu::noinline]] float largest_magnitude(const vtcm_byte *row, uint32_t k) {
    using namespace hvx;
    i32x32 most = zero<i32x32>();
    for_each_64<T>(row, k, [&](uint32_t, f32x32x2 v) __attribute__((always_inline)) {
        most = max(most, max(bits_as<i32x32>(abs(v.lo)), bits_as<i32x32>(abs(v.hi))));
    });
    return first_lane(bits_as<f32x32>(max_splat(most)));
}

// The power of two that brings a column with this largest magnitude to 2^14 .. 2^15, well inside f16, and its inverse.
// 1 where there is none: zeros, infinities, NaN.
struct column_factor {
    float factor, inverse;

    static column_factor of(float largest) {
        const uint32_t exponent = __builtin_bit_cast(uint32_t, largest) >> 23;
        if (exponent == 0 || exponent == 255) return {1.0f, 1.0f};
        const uint32_t up = base::min(127u + 14 + 127 - exponent, 252u);  // so that the inverse is normal too
        return {__builtin_bit_cast(float, up << 23), __builtin_bit_cast(float, (254 - up) << 23)};
    }
};

// `k` elements times `factor` as f16, with zeros up to a multiple of 64.
template <data_type T> [[gnu::noinline]] void narrow(uint8_t *to, const vtcm_byte *row, uint32_t k, float factor) {
    using namespace hvx;
    for_each_64<T>(row, k, [&](uint32_t i, f32x32x2 v) __attribute__((always_inline)) {
        store(to + i * vector_bytes, to_f16(mul(v.lo, splat<f32x32>(factor)), mul(v.hi, splat<f32x32>(factor))));
    });
}

// -- int8 blocks

inline constexpr float int8_most = 127.0f;
inline constexpr float smallest_amax = 0x1p-100f;  // a block below it is zero: 127 / amax would leave f32

// Where the next group of 32 blocks goes.
struct int8_columns {
    uint8_t *quants;
    uint8_t *heads;

    void next_group() {
        quants += group_blocks * formats::tile_k;
        heads += group_blocks * sizeof(block_head);
    }
};

// Scales of the 32 blocks of a group at `rows`, and their inverses. `work`: 4 vectors. Magnitudes are compared by their bits, among which
// NaN is the largest: it becomes the scale of its block, and with it the products, instead of vanishing.
[[gnu::noinline]] inline void store_scales(const vtcm_byte *rows, uint8_t *scales, uint8_t *inverses, vtcm_byte *work) {
    using namespace hvx;
    const auto larger = [](i32x32 a, i32x32 b) __attribute__((always_inline)) { return max(a, b); };
    const auto magnitudes = [&](uint32_t j) __attribute__((always_inline)) {
        return bits_as<i32x32>(abs(load<f32x32>(rows + j * vector_bytes)));
    };
    // Not 32 at once: their vectors would not fit the registers.
#pragma clang loop unroll(disable)
    for (uint32_t part = 0; part < 4; ++part) {
        store(work + part * vector_bytes, fold<group_blocks / 4>(part * (group_blocks / 4), magnitudes, larger));
    }
    const i32x32 most = fold<4>(
        0, [&](uint32_t j) __attribute__((always_inline)) { return load<i32x32>(work + j * vector_bytes); }, larger);
    const mask used = greater(most, splat<i32x32>(__builtin_bit_cast(int32_t, smallest_amax)));
    const auto amax = bits_as<f32x32>(most);
    store(scales, keep(used, mul(amax, splat<f32x32>(1.0f / int8_most))));
    store(inverses, keep(used, div(splat<f32x32>(int8_most), amax)));
}

// Quants of the 32 blocks, and per 4 blocks the sums of 4 neighbours each, 32 lanes, to `sums`. `inverses` of the
// scales, one per block.
[[gnu::noinline]] inline void store_quants(const vtcm_byte *rows, const float *inverses, uint8_t *quants,
                                           vtcm_byte *sums) {
    using namespace hvx;
    for (uint32_t j = 0; j < group_blocks; j += 4) {
        const auto block = [&](uint32_t n) __attribute__((always_inline)) {
            return small_to_i32_nearest(mul(load<f32x32>(rows + n * vector_bytes), splat<f32x32>(inverses[n])));
        };
        const i8x128 q = pack_saturated(block(0), block(1), block(2), block(3));
        store(quants, q);
        store(sums, dot4_acc(zero<i32x32>(), splat<u8x128>(1), q));
        rows += 4 * vector_bytes;
        inverses += 4;
        quants += vector_bytes;
        sums += vector_bytes;
    }
}

// One group of 1024 f32 at `rows`. `work`: group_blocks / 4 vectors.
[[gnu::noinline]] inline void quantise_group(const vtcm_byte *rows, const int8_columns &to, vtcm_byte *work) {
    using namespace hvx;
    // Scalar loads want cached memory, and the heads, which take the place in the end, are twice as long.
    uint8_t *scales = to.heads, *inverses = to.heads + vector_bytes;
    store_scales(rows, scales, inverses, work);
    store_quants(rows, reinterpret_cast<const float *>(inverses), to.quants, work);
    const i32x32 sum = fold<group_blocks / 4>(
        0, [&](uint32_t i) __attribute__((always_inline)) { return load<i32x32>(work + i * vector_bytes); },
        [](i32x32 a, i32x32 b) __attribute__((always_inline)) { return add(a, b); });
    const auto heads = interleave_words(load<i32x32>(scales), sum);
    store(to.heads, heads.lo);
    store(to.heads + vector_bytes, heads.hi);
}

// widen<T, false> of a type of src1.
using row_widener = void (*)(void *to, const vtcm_byte *row, uint32_t k);

// `blocks` blocks, whole groups, of consecutive rows of elements of so many bytes, which `widen` makes f32; null if they are.
// `work`: quantise_bytes.
inline void quantise(row_widener widen, uint32_t element_bytes, const vtcm_byte *rows, int8_columns to, uint64_t blocks,
                     vtcm_byte *work) {
    constexpr uint32_t group_k = group_blocks * formats::tile_k;
    for (uint64_t done = 0; done < blocks; done += group_blocks) {
        const vtcm_byte *group = rows;
        if (widen) {
            vtcm_byte *wide = work + group_blocks / 4 * hvx::vector_bytes;
            widen(wide, rows, group_k);
            group = wide;
        }
        quantise_group(group, to, work);
        rows += group_k * element_bytes;
        to.next_group();
    }
}

}  // namespace hexane::matmul
