// ops/mul_mat/layout.h -- where MUL_MAT puts things, computed by planner and kernel alike.
#pragma once

#include <stdint.h>

#include "abi/arch.h"
#include "abi/data_type.h"
#include "base/align.h"
#include "formats/weight_format.h"
#include "ops/mul_mat/mul_mat.h"

namespace hexane::matmul {

// How the weights lie in DDR. With `tiled`, in tiles of their format.
struct weight_kind {
    const formats::weight_format *format;  // null: no type of weights
    bool tiled;
};

constexpr weight_kind kind_of(data_type type, bool tiled) {
    const formats::weight_format *format = formats::weight_format_of(type);
    return {format, tiled && format && format->tile_bytes != 0};
}
constexpr bool is_quantised(weight_kind w) { return w.format->quantised(); }
constexpr bool is_blocks(weight_kind w) { return is_quantised(w) && !w.tiled; }

inline constexpr uint32_t band_rows = formats::tile_rows;
inline constexpr uint32_t vector_f32 = line_bytes / 4;  // f32 per vector
inline constexpr uint32_t group_blocks = 32;  // blocks that are quantised together: their maxima fill one vector

// Rows of F16, BF16 and F32 are multiplied a segment of k at a time, and the segments' sums are added in order,
// whatever the transfers carry. Where rows are transposed (kernel_rows.cpp) it is 128 k: one f32 vector per k makes
// 16 KiB, which stay in the first-level cache of a PC. Along k (kernel_dot.cpp) it is the format's unit.
inline constexpr uint32_t segment_k = 128;

// Of plain blocks a transfer brings at most 1024 k: row numbers x pitch are the 16-bit offsets of a gather.
constexpr uint32_t most_block_k(weight_kind w) { return is_blocks(w) ? 1024 : 0xffffffffu; }

// Columns that the inner loop keeps in registers; a share of columns is a multiple of it so that groups are seldom
// partial.
inline constexpr uint32_t column_granule = 8;

// A block of weights in VTCM: the pieces that one 2-D transfer brings.
struct weight_block {
    uint32_t pieces_per_band;  // tiles: 1 piece is a band; else 1 piece is a row
    uint64_t piece_bytes;
    uint64_t pitch;  // from one piece to the next in VTCM; whole lines
    constexpr uint64_t band_bytes() const { return pieces_per_band * pitch; }

    static constexpr weight_block of(weight_kind w, uint64_t k) {
        const uint64_t row = w.format->bytes(k);
        const uint64_t piece = w.tiled ? row * band_rows : row;
        return {w.tiled ? 1 : band_rows, piece, base::align_up<uint64_t>(piece, line_bytes)};
    }
};

// What a product needs to know of a block of a column but its quants. Whatever the weights' type: what they are to be
// offset by is the multiplying kernel's matter.
struct alignas(8) block_head {
    float scale;
    int32_t sum;  // of the quants
};

// Prepared columns in the scratch area. Quantised weights: int8 blocks and their heads, each an array over all blocks of all
// columns.
//
// Other weights, transposed: f32, segment by segment, so that what is used together lies together: a pass over the
// columns of a whole row's pitch would miss the cache at every column. Along k, in the same space: column by column,
// f32 or f16, with zeros up to a multiple of 64 k; f16 columns have their largest magnitudes (f32) behind them.
struct column_layout {
    uint64_t pitch;          // from column to column: blocks, or bytes within a segment
    uint64_t segment_bytes;  // from segment to segment
    uint64_t column_bytes;   // from column to column, along k
    uint64_t heads;          // int8 blocks: offset within the scratch area
    uint64_t largest;        // along k: the same
    uint64_t bytes;

    // Blocks per column: a power of two below 32 or a multiple of it, so that groups of 32 blocks begin at columns.
    static constexpr uint64_t block_pitch(uint64_t k) {
        const uint64_t blocks = k / formats::tile_k;
        if (blocks >= group_blocks) return base::align_up<uint64_t>(blocks, group_blocks);
        uint64_t pitch = 1;
        while (pitch < blocks) pitch *= 2;
        return pitch;
    }
    static constexpr column_layout of(weight_kind w, uint64_t k, uint64_t columns) {
        column_layout l{};
        if (is_quantised(w)) {
            l.pitch = block_pitch(k);
            const uint64_t blocks = base::align_up<uint64_t>(columns * l.pitch, group_blocks);
            l.heads = blocks * formats::tile_k;
            l.bytes = l.heads + blocks * sizeof(block_head);
        } else {
            const uint64_t segments = base::ceil_div<uint64_t>(k, segment_k);
            l.pitch = base::align_up<uint64_t>(base::min<uint64_t>(k, segment_k), 64) * 4;
            l.segment_bytes = columns * l.pitch;
            l.column_bytes = segments * l.pitch;
            l.largest = segments * l.segment_bytes;
            l.bytes = l.largest + base::align_up<uint64_t>(columns * 4, line_bytes);
        }
        return l;
    }
};

// One thread's part of VTCM while it prepares: two stages of src1 rows, and for int8 blocks a group as f32 and the sums
// of its blocks.
inline constexpr uint32_t quantise_bytes = group_blocks * formats::tile_k * 4 + group_blocks / 4 * line_bytes;
struct stage_layout {
    uint64_t pitch;  // from row to row
    uint64_t bytes;  // of one stage
    uint64_t work;   // offset of the rest, behind two stages
    uint64_t thread_bytes;

    // REQUIRES: k as stage_k of the plan: all of a row's k per pass, or a multiple of 1024.
    static constexpr stage_layout of(weight_kind w, uint32_t element_bytes, uint64_t k, uint64_t rows) {
        const uint64_t padded = is_quantised(w) ? column_layout::block_pitch(k) * formats::tile_k : k;
        stage_layout l{};
        l.pitch =
            is_quantised(w) ? padded * element_bytes : base::align_up<uint64_t>(padded * element_bytes, line_bytes);
        // Rows shorter than a group are quantised in whole groups, 32 blocks at a time.
        l.bytes = is_quantised(w)
                      ? base::align_up<uint64_t>(rows * padded, group_blocks * formats::tile_k) * element_bytes
                      : rows * l.pitch;
        l.work = 2 * l.bytes;
        l.thread_bytes = l.work + (is_quantised(w) ? quantise_bytes : 0);
        return l;
    }
};

// One thread's part of VTCM while it multiplies.
struct multiply_layout {
    uint64_t block_bytes;  // of one block in the ring, which begins at 0
    uint64_t tiles;        // plain blocks: where a block is turned into tiles
    uint64_t lanes;        // f16, bf16, f32: a transposed segment, and 32 vectors that are half transposed; along k,
                           // the sums of 32 rows and up to 4 columns
    uint64_t panels;
    uint64_t panel_bytes;  // of one of the two
    uint64_t bytes;

    static constexpr multiply_layout of(weight_kind w, uint64_t block_bands, uint64_t block_k, uint64_t ring_depth,
                                        uint64_t panel_columns, uint64_t panel_bands) {
        multiply_layout l{};
        l.block_bytes = block_bands * weight_block::of(w, block_k).band_bytes();
        l.tiles = ring_depth * l.block_bytes;
        const uint64_t tile_bytes =
            is_blocks(w) ? base::align_up<uint64_t>(w.format->bytes(block_k) * band_rows, line_bytes) : 0;
        l.lanes = l.tiles + tile_bytes;
        l.panels = l.lanes + (is_quantised(w) ? 0 : uint64_t{segment_k + band_rows} * line_bytes);
        l.panel_bytes = panel_columns * panel_bands * band_rows * 4;
        l.bytes = l.panels + 2 * l.panel_bytes;
        return l;
    }
    static constexpr multiply_layout of(weight_kind w, const op::mul_mat::kernel_params &p) {
        return of(w, p.block_bands, p.block_k, p.ring_depth, p.panel_columns, p.panel_bands);
    }
};

}  // namespace hexane::matmul
