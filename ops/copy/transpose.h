// ops/copy/transpose.h -- square tiles of halfwords or words, turned by exchanging ever larger blocks between rows.
//
// Stage s exchanges, between rows whose numbers differ in bit s, the blocks of 2^s elements that lie across the diagonal:
//
//     row i      a0 a1 a2 a3 ...        a0 b0 a2 b2 ...
//     row i+2^s  b0 b1 b2 b3 ...   ->   a1 b1 a3 b3 ...
//
// After all stages, 5 for words and 6 for halfwords, bits of row and column have changed places. Three stages need 8 rows at a
// time, so that a tile passes twice through registers and never spills.
#pragma once

#include <stdint.h>

#include "htp/vtcm_byte.h"
#include "hvx/memory.h"
#include "hvx/permute.h"

namespace hexane::kernels {

using htp::vtcm_byte;

namespace detail {

using hvx::u32x32;

template <int Bytes> HEX_HVX void exchange(u32x32 &a, u32x32 &b) {
    const auto turned = hvx::exchange_blocks<Bytes>(a, b);
    a = turned.lo;
    b = turned.hi;
}

// Two stages between four rows, the first one with blocks of `Bytes`.
template <int Bytes> HEX_HVX void exchange4(u32x32 &a, u32x32 &b, u32x32 &c, u32x32 &d) {
    exchange<Bytes>(a, b);
    exchange<Bytes>(c, d);
    exchange<2 * Bytes>(a, c);
    exchange<2 * Bytes>(b, d);
}

// Rows row, row + step, ... of a tile: 2^Stages of them.
template <int Bytes, int Stages>
HEX_HVX void exchange_rows(vtcm_byte *to, uint32_t to_step, const vtcm_byte *from, uint32_t from_step) {
    const auto in = [=](uint32_t i) { return hvx::load<u32x32>(from + i * from_step); };
    u32x32 a = in(0), b = in(1), c = in(2), d = in(3);
    exchange4<Bytes>(a, b, c, d);
    if constexpr (Stages == 3) {
        u32x32 e = in(4), f = in(5), g = in(6), h = in(7);
        exchange4<Bytes>(e, f, g, h);
        exchange<4 * Bytes>(a, e);
        exchange<4 * Bytes>(b, f);
        exchange<4 * Bytes>(c, g);
        exchange<4 * Bytes>(d, h);
        hvx::store(to + 4 * to_step, e);
        hvx::store(to + 5 * to_step, f);
        hvx::store(to + 6 * to_step, g);
        hvx::store(to + 7 * to_step, h);
    }
    hvx::store(to, a);
    hvx::store(to + to_step, b);
    hvx::store(to + 2 * to_step, c);
    hvx::store(to + 3 * to_step, d);
}

}  // namespace detail

// One tile of 128 / ElementBytes rows and columns. REQUIRES: addresses and pitches are multiples of 128, the tiles do not
// overlap.
template <uint32_t ElementBytes>
inline void transpose_tile(vtcm_byte *to, uint32_t to_pitch, const vtcm_byte *from, uint32_t from_pitch) {
    constexpr uint32_t rows = hvx::vector_bytes / ElementBytes;
    constexpr int second_stages = ElementBytes == 4 ? 2 : 3;
    for (uint32_t r = 0; r < rows; r += 8)
        detail::exchange_rows<ElementBytes, 3>(to + r * to_pitch, to_pitch, from + r * from_pitch, from_pitch);
    for (uint32_t r = 0; r < 8; ++r) {
        vtcm_byte *row = to + r * to_pitch;
        detail::exchange_rows<8 * ElementBytes, second_stages>(row, 8 * to_pitch, row, 8 * to_pitch);
    }
}

}  // namespace hexane::kernels
