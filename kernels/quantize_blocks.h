// kernels/quantize_blocks.h -- f32 elements to blocks of 32 in ggml's layout, as ggml's quantize_row_*_ref define them.
//
// A block of 32 f32 elements is one vector. Scales are calculated for 32 blocks at once, a lane each. Where division is
// IEEE (on the PC and in Hexagon code for qemu) the result has the same bits as ggml's; a Newton division may put a
// scale or its inverse one unit of its last place off, and with it a value that lies half way between two quants.
// A block with an infinity or a NaN in it becomes a block of NaN.
#pragma once

#include "abi/data_type.h"
#include "base/align.h"
#include "hvx/divide.h"
#include "kernels/float_rows.h"

namespace hexane::kernels {

// Bytes behind the last block that quantize_blocks() may write.
inline constexpr uint32_t quantize_slack_bytes = 128;

namespace detail {

using hvx::f32x32;
using hvx::i32x32;
using hvx::u32x32;
using hvx::u8x128;

// Blocks whose scales are calculated together: the words of a vector.
constexpr uint32_t group_blocks = 32;

// What is known of a group, in the cached memory of a worker's stack, where scalars may read it.
struct block_group {
    alignas(hvx::vector_bytes)
        uint8_t partial[8][hvx::vector_bytes];               // reductions of four blocks each, of 4 elements a lane
    alignas(hvx::vector_bytes) uint32_t head[group_blocks];  // what a block begins with
    alignas(hvx::vector_bytes) float factor[group_blocks];   // what its elements are multiplied by
};

// One step of a reduction: lane l of a and b stands for N elements of block l % N of theirs; lane l of the result for
// 2 N elements of block l % 2N, those of a first. op(earlier elements, later ones).
template <uint32_t N, class Op> HEX_HVX f32x32 reduce_pair(f32x32 a, f32x32 b, Op op) {
    const auto elements = hvx::exchange_blocks<4 * N>(a, b);
    return op(elements.lo, elements.hi);
}

// The first two steps, for all blocks of a group; there are blocks up to `last`, those beyond repeat it.
template <class Op>
[[gnu::noinline]] void reduce_fours(block_group &g, const vtcm_byte *src, uint32_t first, uint32_t last, Op op) {
    for (uint32_t i = 0; i < 8; ++i, first += 4) {
        const auto block = [=](uint32_t k) __attribute__((always_inline)) {
            return hvx::load<f32x32>(src + base::min(first + k, last) * hvx::vector_bytes);
        };
        const f32x32 a = reduce_pair<1>(block(0), block(1), op), b = reduce_pair<1>(block(2), block(3), op);
        hvx::store(g.partial[i], reduce_pair<2>(a, b, op));
    }
}

// The other three: lane l of the result stands for block l of the group.
template <class Op> HEX_HVX f32x32 reduced(const block_group &g, Op op) {
    const auto four = [&](uint32_t i) __attribute__((always_inline)) { return hvx::load<f32x32>(g.partial[i]); };
    const f32x32 a = reduce_pair<8>(reduce_pair<4>(four(0), four(1), op), reduce_pair<4>(four(2), four(3), op), op);
    const f32x32 b = reduce_pair<8>(reduce_pair<4>(four(4), four(5), op), reduce_pair<4>(four(6), four(7), op), op);
    return reduce_pair<16>(a, b, op);
}

// x / d as a factor: 0 where d is 0.
HEX_HVX f32x32 inverse_of(f32x32 d) { return hvx::select(hvx::is_zero(d), hvx::zero<f32x32>(), hvx::reciprocal(d)); }

// The f16 bits of x, in the low half of each word.
HEX_HVX u32x32 halves_of(f32x32 x) { return hvx::widen_unsigned(hvx::to_f16(x, x)).lo; }

// To nearest, ties away from zero: roundf.
HEX_HVX i32x32 round_away(f32x32 x) {
    const i32x32 truncated = hvx::to_i32_truncated(x);
    const i32x32 fraction = hvx::bits_as<i32x32>(hvx::abs(hvx::sub(x, hvx::to_f32(truncated))));
    const hvx::mask away = hvx::greater(fraction, hvx::splat<i32x32>(0x3effffff));  // 1/2 and more
    const i32x32 one = hvx::bit_or(hvx::shift_right(hvx::bits_as<i32x32>(x), 31), hvx::splat<i32x32>(1));
    return hvx::add(truncated, hvx::keep(away, one));
}

// d (f16), then 32 signed bytes: element / d.
struct q8_0_blocks {
    static constexpr uint32_t bytes = 34;

    // The larger magnitude; as integers, where a NaN is the largest.
    struct reduction {
        HEX_HVX f32x32 operator()(f32x32 a, f32x32 b) const {
            return hvx::bits_as<f32x32>(hvx::max(hvx::bits_as<i32x32>(hvx::abs(a)), hvx::bits_as<i32x32>(hvx::abs(b))));
        }
    };
    HEX_HVX static f32x32 scale_of(f32x32 largest) { return hvx::div(largest, hvx::splat<f32x32>(127.0f)); }
    HEX_HVX static i32x32 quants(f32x32 x, f32x32 factor) { return round_away(hvx::mul(x, factor)); }
    // What follows the scale, from 32 bytes.
    HEX_HVX static u8x128 body(u8x128 quants) { return quants; }
};

// d (f16), then 16 bytes: element / d + 8, elements 0..15 in the low nibbles, 16..31 in the high ones. d is such that
// the first element of the largest magnitude becomes 0.
struct q4_0_blocks {
    static constexpr uint32_t bytes = 18;

    // The one of the larger magnitude, the first of two alike.
    struct reduction {
        HEX_HVX f32x32 operator()(f32x32 a, f32x32 b) const {
            const auto magnitude = [](f32x32 x)
                                       __attribute__((always_inline)) { return hvx::bits_as<i32x32>(hvx::abs(x)); };
            return hvx::select(hvx::greater(magnitude(b), magnitude(a)), b, a);
        }
    };
    // Of zeros it is -0, whatever their signs.
    HEX_HVX static f32x32 scale_of(f32x32 farthest) {
        return hvx::select(hvx::is_zero(farthest), hvx::splat<f32x32>(-0.0f),
                           hvx::mul(farthest, hvx::splat<f32x32>(-0.125f)));
    }
    HEX_HVX static i32x32 quants(f32x32 x, f32x32 factor) {
        const f32x32 shifted = hvx::add(hvx::mul(x, factor), hvx::splat<f32x32>(8.5f));
        return hvx::min(hvx::to_i32_truncated(shifted), hvx::splat<i32x32>(15));
    }
    HEX_HVX static u8x128 body(u8x128 quants) {
        const auto high = hvx::bits_as<hvx::i16x64>(hvx::rotate_bytes(quants, 16));
        return hvx::bit_or(quants, hvx::bits_as<u8x128>(hvx::shift_left(high, 4)));  // a nibble stays in its byte
    }
};

template <class Format> [[gnu::noinline]] void scale_group(block_group &g) {
    const f32x32 farthest = reduced(g, typename Format::reduction{});
    const f32x32 d = Format::scale_of(farthest);
    // No quant stands for an infinity or a NaN: the scale has to tell.
    const hvx::mask finite = hvx::greater(hvx::splat<i32x32>(0x7f800000), hvx::bits_as<i32x32>(hvx::abs(farthest)));
    hvx::store(g.head, hvx::select(finite, halves_of(d), hvx::splat<u32x32>(0x7e00)));
    hvx::store(g.factor, inverse_of(d));
}

// Blocks first .. first + n - 1 of a group.
template <class Format>
[[gnu::noinline]] void store_group(vtcm_byte *dst, const vtcm_byte *src, const block_group &g, uint32_t n) {
    constexpr uint32_t head_bytes = 2;
    for (uint32_t i = 0; i < n; ++i, src += hvx::vector_bytes, dst += Format::bytes) {
        const i32x32 quants = Format::quants(hvx::load<f32x32>(src), hvx::splat<f32x32>(g.factor[i]));
        const auto bytes = hvx::bits_as<u8x128>(hvx::pack_saturated(quants, quants, quants, quants));
        const u8x128 body = hvx::rotate_bytes(Format::body(bytes), hvx::vector_bytes - head_bytes);
        const auto head = hvx::bits_as<u8x128>(hvx::splat<u32x32>(g.head[i]));
        hvx::store_unaligned(dst, hvx::select(hvx::first_bytes(head_bytes), head, body));
    }
}

template <class Format> inline void quantize(vtcm_byte *dst, const vtcm_byte *src, uint32_t n_blocks) {
    block_group g;
    for (uint32_t first = 0; first < n_blocks; first += group_blocks) {
        reduce_fours(g, src, first, n_blocks - 1, typename Format::reduction{});
        scale_group<Format>(g);
        store_group<Format>(dst + first * Format::bytes, src + first * hvx::vector_bytes, g,
                            base::min(n_blocks - first, group_blocks));
    }
}

}  // namespace detail

// Whether quantize_blocks() knows the type.
constexpr bool quantizes_to(data_type t) { return t == data_type::q8_0 || t == data_type::q4_0; }

// n packed f32 elements to blocks. `src` begins on a line, `dst` anywhere; quantize_slack_bytes behind the last block
// may be overwritten. REQUIRES: quantizes_to(to), n is a multiple of 32 and not 0.
inline void quantize_blocks(data_type to, vtcm_byte *dst, const vtcm_byte *src, uint32_t n) {
    if (to == data_type::q8_0) {
        detail::quantize<detail::q8_0_blocks>(dst, src, n / 32);
    } else {
        detail::quantize<detail::q4_0_blocks>(dst, src, n / 32);
    }
}

}  // namespace hexane::kernels
