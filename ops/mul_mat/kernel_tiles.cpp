// ops/mul_mat/kernel_tiles.cpp -- tiles of Q4_0 and Q8_0 weights times int8 columns.
//
// Lane n of a vector is row n of the band. Per tile and column, with u = the unsigned quants of the weights (offset o),
// q, d = the column's int8 block and its scale, and s = the rows' scales:
//
//     i32  = -o * sum(q) + sum over eight words of dot4(u, q)     exact; columns bring sum(q), whatever the weights' o
//     out += f32(i32) * (s * d)                                   in order of k
//
// A group of columns stays in registers over all of a band, so a vector of weights is unpacked once per group. The
// order of operations of a column does not depend on the group that it is in.
#include "hvx/float16.h"
#include "hvx/memory.h"
#include "hvx/prefetch.h"
#include "ops/mul_mat/kernel.h"

namespace hexane::matmul {

namespace {

using namespace hvx;
using formats::run_tiles;

// The prepared columns of a group: the first one, and the distance to the others.
struct column_group {
    const int32_t *words;  // four quants each
    const block_head *heads;
    size_t pitch;  // blocks

    static constexpr uint32_t words_per_block = formats::tile_k / 4;
    size_t word_pitch() const { return pitch * words_per_block; }
    void next_tile() {
        words += words_per_block;
        ++heads;
    }
};

// One tile against C columns: acc[c] += the eight dot products of a row.
template <uint32_t C> HEX_HVX void dot_tile(i32x32 (&acc)[C], const vtcm_byte *quants, const column_group &x,
                                            formats::q4_0_tile) {
    for (uint32_t i = 0; i < formats::q4_0_tile::vectors; i += dot_step) {
        u8x128 low[dot_step], high[dot_step];
        for (uint32_t n = 0; n < dot_step; ++n) {
            const u8x128 packed = load<u8x128>(quants + (i + n) * vector_bytes);
            low[n] = low_nibbles(packed);
            high[n] = high_nibbles(packed);
        }
        dot4_acc_u7(acc, low, x.words + i, x.word_pitch());
        dot4_acc_u7(acc, high, x.words + i + 4, x.word_pitch());
    }
}

// Signed quants, made unsigned.
HEX_HVX void load_q8(u8x128 (&to)[dot_step], const vtcm_byte *quants, uint32_t i) {
    for (uint32_t n = 0; n < dot_step; ++n)
        to[n] = bit_xor(load<u8x128>(quants + (i + n) * vector_bytes), splat<u8x128>(0x80));
}
template <uint32_t C> HEX_HVX void dot_tile(i32x32 (&acc)[C], const vtcm_byte *quants, const column_group &x,
                                            formats::q8_0_tile) {
    for (uint32_t i = 0; i < formats::q8_0_tile::vectors; i += dot_step) {
        u8x128 u[dot_step];
        load_q8(u, quants, i);
        dot4_acc(acc, u, x.words + i, x.word_pitch());
    }
}
// One chain of eight dependent products would take longer than the loads. In integers two sums are the same.
HEX_HVX void dot_tile(i32x32 (&acc)[1], const vtcm_byte *quants, const column_group &x, formats::q8_0_tile) {
    i32x32 second[1] = {zero<i32x32>()};
    for (uint32_t i = 0; i < formats::q8_0_tile::vectors; i += 2 * dot_step) {
        u8x128 u[dot_step], v[dot_step];
        load_q8(u, quants, i);
        load_q8(v, quants, i + dot_step);
        dot4_acc(second, v, x.words + i + dot_step, x.word_pitch());
        dot4_acc(acc, u, x.words + i, x.word_pitch());
    }
    acc[0] = add(acc[0], second[0]);
}

// How far ahead the first group of columns asks for weights; the others find them in the cache.
constexpr uint32_t ahead_bytes = 8192;

template <class Tile, uint32_t C, bool First>
HEX_HVX void multiply_tile(running_sum (&out)[C], const vtcm_byte *quants, f32x32 row_scales, const column_group &x) {
    if constexpr (First) {
        for (uint32_t i = 0; i <= Tile::vectors; ++i) prefetch(quants + ahead_bytes + i * vector_bytes);
    }
    i32x32 acc[C];
    block_head heads[C];
    for (uint32_t c = 0; c < C; ++c) {
        heads[c] = load_at_once(x.heads + c * x.pitch);
        acc[c] = splat<i32x32>(-Tile::offset * heads[c].sum);
    }
    dot_tile(acc, quants, x, Tile{});
    for (uint32_t c = 0; c < C; ++c) {
        const f32x32 scale = mul(row_scales, splat<f32x32>(heads[c].scale));
        out[c] = add_product(out[c], to_f32(acc[c]), scale);
    }
}

// `tiles` tiles of one band, whole runs but for the last one, against C columns. Scales come two tiles to a vector.
template <class Tile, uint32_t C, bool First>
HEX_HVX void multiply_band(running_sum (&out)[C], const vtcm_byte *band, uint32_t tiles, column_group x) {
    while (tiles > 0) {
        const uint32_t n = base::min(tiles, run_tiles);
        const vtcm_byte *scales = band + n * Tile::quant_bytes;
#pragma clang loop unroll(disable)
        for (uint32_t t = 0; t + 2 <= n; t += 2) {
            const f32x32x2 s = finite_to_f32(load<f16x64>(scales));
            multiply_tile<Tile, C, First>(out, band, s.lo, x);
            x.next_tile();
            multiply_tile<Tile, C, First>(out, band + Tile::quant_bytes, s.hi, x);
            x.next_tile();
            band += 2 * Tile::quant_bytes;
            scales += vector_bytes;
        }
        if (n % 2 != 0) {
            multiply_tile<Tile, C, First>(out, band, finite_to_f32(load<f16x64>(scales)).lo, x);
            x.next_tile();
        }
        band = scales + (n % 2) * Tile::scales_bytes;
        tiles -= n;
    }
}

// C columns from `column` of the block on, band by band.
template <class Tile, uint32_t C, bool First> void multiply_group(const block_job &j, uint32_t column,
                                                                  const vtcm_byte *tiles, uint32_t band_pitch) {
    const uint64_t first = uint64_t{j.column + column} * j.columns.pitch + j.k_begin / formats::tile_k;
    const column_group x{reinterpret_cast<const int32_t *>(j.prepared) + first * column_group::words_per_block,
                         reinterpret_cast<const block_head *>(j.prepared + j.columns.heads) + first,
                         static_cast<size_t>(j.columns.pitch)};
    for (uint32_t b = 0; b < j.bands; ++b) {
        vtcm_f32 *to = j.out + column * j.out_pitch + b * band_rows;
        running_sum out[C];
        for (uint32_t c = 0; c < C; ++c)
            out[c] = j.accumulate ? sum_from(load<f32x32>(to + c * j.out_pitch)) : empty_sum();
        multiply_band<Tile, C, First>(out, tiles + b * band_pitch, j.k / formats::tile_k, x);
        for (uint32_t c = 0; c < C; ++c) store(to + c * j.out_pitch, to_f32(out[c]));
    }
}

// Columns from `begin` on in groups of C while there are as many. Returns how many columns are done then.
template <class Tile, uint32_t C>
uint32_t multiply_groups(const block_job &j, uint32_t begin, const vtcm_byte *tiles, uint32_t band_pitch) {
    uint32_t c = begin;
    if constexpr (prefetches) {  // where it does not, one body is enough
        if (c == 0 && C <= j.n_columns) {
            multiply_group<Tile, C, true>(j, c, tiles, band_pitch);
            c += C;
        }
    }
    for (; c + C <= j.n_columns; c += C) multiply_group<Tile, C, false>(j, c, tiles, band_pitch);
    return c;
}

template <class Tile> void multiply_columns(const block_job &j, const vtcm_byte *tiles, uint32_t band_pitch) {
    uint32_t done = multiply_groups<Tile, 4>(j, 0, tiles, band_pitch);
    done = multiply_groups<Tile, 2>(j, done, tiles, band_pitch);
    multiply_groups<Tile, 1>(j, done, tiles, band_pitch);
}

// -- plain blocks

// Offsets of halfwords from the first block of row 0: word 0 of every row, and the scales of two tiles, 32 rows each.
// Rows that do not exist repeat the last one; their results are not stored.
struct row_offsets {
    alignas(vector_bytes) uint32_t words[32];
    alignas(vector_bytes) uint32_t even_scales[32], odd_scales[32];

    row_offsets(uint32_t rows, uint32_t pitch, uint32_t block_bytes) {
        const auto row = [&](uint32_t n) { return base::min(n, rows - 1) * pitch; };
        for (uint32_t n = 0; n < 32; ++n) {
            words[n] = row(n);
            even_scales[n] = row(2 * n % 32) + n / 16 * block_bytes;
            odd_scales[n] = row(2 * n % 32 + 1) + n / 16 * block_bytes;
        }
    }
};

// 32 rows of plain blocks to tiles: word i of every row is gathered into vector i. A block has an odd number of
// halfwords, so the gather takes halfwords.
template <class Tile> void gather_tiles(const block_job &j) {
    const row_offsets offsets(j.rows, j.pitch, Tile::block_bytes);
    const uint32_t region = band_rows * j.pitch;
    const u32x32 first_half = load<u32x32>(offsets.words), second_half = add(first_half, splat<u32x32>(2));
    const u32x32 even = load<u32x32>(offsets.even_scales), odd = load<u32x32>(offsets.odd_scales);
    const uint32_t tiles = j.k / formats::tile_k;
    vtcm_byte *to = j.tiles;
    for (uint32_t t = 0; t < tiles; t += run_tiles) {
        const uint32_t n = base::min(tiles - t, run_tiles);
        for (uint32_t i = 0; i < n; ++i) {
            for (uint32_t word = 0; word < Tile::vectors; ++word, to += vector_bytes) {
                const uint32_t at = (t + i) * Tile::block_bytes + formats::scale_bytes + 4 * word;
                gather_halves(to, j.weights + at, region - at, first_half, second_half);
            }
        }
        // The last of an odd number of tiles brings a block that is not there, into the padding of the tiles.
        for (uint32_t i = 0; i < n; i += 2, to += vector_bytes) {
            const uint32_t at = (t + i) * Tile::block_bytes;
            gather_halves(to, j.weights + at, region - at, even, odd);
        }
    }
    for (const vtcm_byte *v = j.tiles; v < to; v += vector_bytes) (void)gathered<u8x128>(v);
}

template <class Tile> void multiply_blocks(const block_job &j) {
    gather_tiles<Tile>(j);
    multiply_columns<Tile>(j, j.tiles, 0);
}

}  // namespace

void multiply_q4_0_tiles(const block_job &j) { multiply_columns<formats::q4_0_tile>(j, j.weights, j.pitch); }
void multiply_q8_0_tiles(const block_job &j) { multiply_columns<formats::q8_0_tile>(j, j.weights, j.pitch); }
void multiply_q4_0_blocks(const block_job &j) { multiply_blocks<formats::q4_0_tile>(j); }
void multiply_q8_0_blocks(const block_job &j) { multiply_blocks<formats::q8_0_tile>(j); }

}  // namespace hexane::matmul
