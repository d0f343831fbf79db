// formats/tile.h -- the geometry that all tile formats share.
//
// A tile is 32 rows x 32 k of a weight matrix; a permutation of the bits of its 32 blocks, nothing more:
//
//     quants   the 32 blocks' quants as a matrix of 4-byte words, transposed: vector i holds word i of every row,
//              row n at bytes 4n .. 4n+3. One vector is what one dot-product instruction takes.
//     scales   32 f16, in row order
//
// A run is up to eight tiles that follow each other in k: all their quants, then all their scales. A band is all runs
// of 32 rows, and is contiguous, so that it moves as one transfer. Bands follow each other in row order, slices (ne2,
// ne3) after each other; the rows of a slice are padded to whole bands with zeros. The layout in DDR is the layout in
// VTCM.
#pragma once

#include <stdint.h>

#include "abi/data_type.h"

namespace hexane::formats {

inline constexpr uint32_t tile_rows =
    32;  // one f32 or i32 vector holds one result per row; also the height of an HMX tile
inline constexpr uint32_t tile_k = 32;  // elements of a q4_0 or q8_0 block
inline constexpr uint32_t run_tiles =
    8;  // so that the scales of two tiles share a vector and both groups keep 128-byte alignment
inline constexpr uint32_t run_k = run_tiles * tile_k;
inline constexpr uint32_t scale_bytes = 2;  // an f16

// What a format's tile is made of, computed from the bytes of quants of one block.
template <uint32_t BlockQuantBytes> struct tile_parts {
    static constexpr uint32_t block_quant_bytes = BlockQuantBytes;
    static constexpr uint32_t block_bytes = scale_bytes + BlockQuantBytes;
    static constexpr uint32_t vectors = BlockQuantBytes / 4;  // one per word of a block
    static constexpr uint32_t quant_bytes = tile_rows * BlockQuantBytes;
    static constexpr uint32_t scales_bytes = tile_rows * scale_bytes;
    static constexpr uint32_t bytes = quant_bytes + scales_bytes;
    static_assert(bytes == tile_rows * block_bytes, "a tile is a permutation of its blocks");
};

// Where the parts of tile `t` of a band of `tiles` tiles lie, in bytes from the start of the band.
template <class Tile> struct band {
    static constexpr uint64_t bytes(uint64_t tiles) { return tiles * Tile::bytes; }
    static constexpr uint64_t run_offset(uint64_t t) { return t / run_tiles * run_tiles * Tile::bytes; }
    static constexpr uint64_t tiles_of_run(uint64_t t, uint64_t tiles) {
        const uint64_t left = tiles - t / run_tiles * run_tiles;
        return left < run_tiles ? left : run_tiles;
    }
    static constexpr uint64_t quants_offset(uint64_t t) { return run_offset(t) + t % run_tiles * Tile::quant_bytes; }
    static constexpr uint64_t scales_offset(uint64_t t, uint64_t tiles) {
        return run_offset(t) + tiles_of_run(t, tiles) * Tile::quant_bytes + t % run_tiles * Tile::scales_bytes;
    }
};

// Where the tiles of a tensor lie, in bytes from its first one: what planners, buffers and kernels agree on. A slice is
// padded to whole bands, so what ggml's strides say of whole slices is true of their numbers only.
struct tiled_view {
    uint64_t row_bytes;   // in ggml's layout; a band takes as much as its rows
    uint64_t slice_rows;  // from slice to slice, without padding
    uint64_t slices;      // from one i3 to the next

    // By ggml's strides. REQUIRES: each a multiple of the one before.
    static constexpr tiled_view of(uint64_t nb1, uint64_t nb2, uint64_t nb3) { return {nb1, nb2 / nb1, nb3 / nb2}; }

    constexpr uint64_t band_bytes() const { return row_bytes * tile_rows; }
    constexpr uint64_t bands(uint64_t rows) const { return (rows + tile_rows - 1) / tile_rows; }
    constexpr uint64_t slice_bytes() const { return bands(slice_rows) * band_bytes(); }
    constexpr uint64_t slice3_bytes() const { return slices * slice_bytes(); }
    // Of the band that holds a row.
    constexpr uint64_t band_offset(uint64_t row, uint64_t i2, uint64_t i3) const {
        return row / tile_rows * band_bytes() + i2 * slice_bytes() + i3 * slice3_bytes();
    }
    // From the first to the last byte of so many rows of so many slices, padding included. REQUIRES: no extent is 0.
    constexpr uint64_t extent_bytes(uint64_t rows, uint64_t ne2, uint64_t ne3) const {
        return band_offset(0, ne2 - 1, ne3 - 1) + bands(rows) * band_bytes();
    }
};

}  // namespace hexane::formats
