// hvx/reduce.h -- the lanes of a vector to one value, always in the same order:
//
//   step 1: lane i + lane i + 16, step 2: lane i + lane i + 8, then 4, 2, 1
//
// sum, sum_splat, sum_4, sum_8 and sum_32 give the same bits for the same vector.
#pragma once

#include "hvx/float32.h"
#include "hvx/permute.h"

namespace hexane::hvx {

// Combines all lanes with op (any associative one if the order is not to matter); every lane holds the result.
// Q6_V_vror_VR.
template <storable V, class Op> HEX_HVX V reduce_splat(V x, Op op) {
    x = op(x, rotate_bytes(x, 64));
    x = op(x, rotate_bytes(x, 32));
    x = op(x, rotate_bytes(x, 16));
    x = op(x, rotate_bytes(x, 8));
    return op(x, rotate_bytes(x, 4));
}

HEX_HVX f32x32 sum_splat(f32x32 x) {
    return reduce_splat(x, [](f32x32 a, f32x32 b) __attribute__((always_inline)) { return add(a, b); });
}
HEX_HVX i32x32 sum_splat(i32x32 x) {
    return reduce_splat(x, [](i32x32 a, i32x32 b) __attribute__((always_inline)) { return add(a, b); });
}
HEX_HVX i32x32 max_splat(i32x32 x) {
    return reduce_splat(x, [](i32x32 a, i32x32 b) __attribute__((always_inline)) { return max(a, b); });
}

HEX_HVX float sum(f32x32 x) { return first_lane(sum_splat(x)); }
HEX_HVX int32_t sum(i32x32 x) { return first_lane(sum_splat(x)); }
HEX_HVX int32_t max_lane(i32x32 x) { return first_lane(max_splat(x)); }

// One step for two vectors at once: each gives half of its blocks of `Bytes` to the result, a first.
//   a = a0 a1 a2 a3, b = b0 b1 b2 b3  ->  a0+a1 b0+b1 a2+a3 b2+b3
template <int Bytes> HEX_HVX f32x32 sum_blocks(f32x32 a, f32x32 b) {
    const pair<f32x32> blocks = exchange_blocks<Bytes>(a, b);
    return add(blocks.lo, blocks.hi);
}

namespace detail {
// A tree, walked depth first, so that at most six vectors are live. `Step` vectors apart at this level; lane n ends as
// sum n.
template <int Step> HEX_HVX f32x32 sum_tree(const f32x32 *x) {
    if constexpr (Step == 16) {
        return sum_blocks<64>(x[0], x[16]);
    } else {
        return sum_blocks<4 * Step>(sum_tree<2 * Step>(x), sum_tree<2 * Step>(x + Step));
    }
}
}  // namespace detail

// Lane n of the result is the sum of the lanes of x[n].
HEX_HVX f32x32 sum_32(const f32x32 (&x)[32]) { return detail::sum_tree<1>(x); }

// Lanes 0..7 of the result are the sums of x[0..7]; the others repeat.
HEX_HVX f32x32 sum_8(const f32x32 (&x)[8]) {
    f32x32 level[4];
    for (int i = 0; i < 4; ++i) level[i] = sum_blocks<64>(x[i], x[i + 4]);
    const f32x32 even = sum_blocks<32>(level[0], level[2]);
    const f32x32 odd = sum_blocks<32>(level[1], level[3]);
    f32x32 by_4 = sum_blocks<16>(even, odd);  // 4 lanes for each of the eight
    by_4 = sum_blocks<8>(by_4, by_4);
    by_4 = sum_blocks<4>(by_4, by_4);
    by_4 = deal_words(by_4, by_4).lo;  // lane 4n to lane n
    return deal_words(by_4, by_4).lo;
}

// Lanes 0..3 of the result are the sums of x[0..3]; the others repeat.
HEX_HVX f32x32 sum_4(const f32x32 (&x)[4]) {
    const f32x32 even = sum_blocks<64>(x[0], x[2]);
    const f32x32 odd = sum_blocks<64>(x[1], x[3]);
    f32x32 by_8 = sum_blocks<32>(even, odd);  // 8 lanes for each of the four
    by_8 = sum_blocks<16>(by_8, by_8);
    by_8 = sum_blocks<8>(by_8, by_8);
    by_8 = sum_blocks<4>(by_8, by_8);
    by_8 = deal_words(by_8, by_8).lo;  // lane 8n to lane n
    by_8 = deal_words(by_8, by_8).lo;
    return deal_words(by_8, by_8).lo;
}

}  // namespace hexane::hvx
