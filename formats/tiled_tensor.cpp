// formats/tiled_tensor.cpp -- ggml's byte stream into tiles and back.
//
// A byte range is a partial block, whole blocks, a partial block. Whole blocks are at most three rectangles (rest of a
// row, full rows, begin of a row); a rectangle is walked band by band, run by run, so that the run being written stays
// in the first-level cache while the 32 rows are read.
#include "formats/tiled_tensor.h"

#include <algorithm>
#include <cstring>

#include "formats/weight_format.h"

namespace hexane::formats {
namespace {

// Rows and blocks of k, half open. Rows are numbered through all slices.
struct rectangle {
    uint64_t row_begin, row_end, k_begin, k_end;
};

template <class Tile> class mapping {
  public:
    mapping(const tiled_shape &shape, uint8_t *tiles)
        : tiles_(tiles), rows_(shape.rows), blocks_(shape.k / tile_k), view_(shape.view()) {}

    uint64_t blocks_per_row() const { return blocks_; }

    // Start of the band that holds a row.
    uint8_t *band_of(uint64_t row) const { return tiles_ + view_.band_offset(row % rows_, row / rows_, 0); }

    // Address in the tiles of byte `i` of block `k` of `row`, and how many bytes of the block follow it there without a
    // gap.
    uint8_t *byte_of(uint64_t row, uint64_t k, uint64_t i) const {
        const uint64_t n = row % rows_ % tile_rows;
        if (i < scale_bytes) return band_of(row) + geometry::scales_offset(k, blocks_) + n * scale_bytes + i;
        const uint64_t q = i - scale_bytes;
        return band_of(row) + geometry::quants_offset(k) + q / 4 * word_pitch + n * 4 + q % 4;
    }

    // Calls move(row, n, k_begin, count, quants, scales) for every piece of the rectangle that lies in one run of one
    // row: n = row within its band; quants and scales are those of tile k_begin.
    template <class Move> void for_pieces(const rectangle &r, Move &&move) const {
        for (uint64_t row = r.row_begin; row < r.row_end;) {
            const uint64_t n = row % rows_ % tile_rows;
            const uint64_t count = std::min({tile_rows - n, rows_ - row % rows_, r.row_end - row});
            for (uint64_t k = r.k_begin; k < r.k_end;) {
                const uint64_t tiles = std::min(r.k_end - k, run_tiles - k % run_tiles);
                uint8_t *const quants = band_of(row) + geometry::quants_offset(k);
                uint8_t *const scales = band_of(row) + geometry::scales_offset(k, blocks_);
                for (uint64_t i = 0; i < count; ++i) move(row + i, n + i, k, tiles, quants, scales);
                k += tiles;
            }
            row += count;
        }
    }

    static constexpr uint64_t word_pitch = 128;  // one vector per word of a block

  private:
    using geometry = band<Tile>;
    uint8_t *tiles_;
    uint64_t rows_, blocks_;
    tiled_view view_;
};

// Blocks of one row -> their places in the tiles of one run.
template <class Tile> void scatter(const uint8_t *blocks, uint64_t count, uint64_t n, uint8_t *quants,
                                   uint8_t *scales) {
    for (uint64_t t = 0; t < count; ++t) {
        const uint8_t *const block = blocks + t * Tile::block_bytes;
        std::memcpy(scales + t * Tile::scales_bytes + n * scale_bytes, block, scale_bytes);
        uint8_t *const words = quants + t * Tile::quant_bytes + n * 4;
        for (uint32_t i = 0; i < Tile::vectors; ++i)
            std::memcpy(words + i * mapping<Tile>::word_pitch, block + scale_bytes + i * 4, 4);
    }
}

template <class Tile> void gather(uint8_t *blocks, uint64_t count, uint64_t n, const uint8_t *quants,
                                  const uint8_t *scales) {
    for (uint64_t t = 0; t < count; ++t) {
        uint8_t *const block = blocks + t * Tile::block_bytes;
        std::memcpy(block, scales + t * Tile::scales_bytes + n * scale_bytes, scale_bytes);
        const uint8_t *const words = quants + t * Tile::quant_bytes + n * 4;
        for (uint32_t i = 0; i < Tile::vectors; ++i)
            std::memcpy(block + scale_bytes + i * 4, words + i * mapping<Tile>::word_pitch, 4);
    }
}

// Splits [offset, offset + size) of the byte stream: bytes(row, k, first, count, position) for parts of a block,
// rectangles(r, position) for whole blocks; position = index within the range.
template <class Bytes, class Rectangles>
void split_range(uint64_t block_bytes, uint64_t blocks_per_row, uint64_t offset, uint64_t size, Bytes &&bytes,
                 Rectangles &&rectangles) {
    const uint64_t end = offset + size;
    const auto part = [&](uint64_t from, uint64_t to) {
        const uint64_t b = from / block_bytes;
        bytes(b / blocks_per_row, b % blocks_per_row, from % block_bytes, to - from, from - offset);
    };
    const uint64_t first = (offset + block_bytes - 1) / block_bytes;  // whole blocks [first, last)
    const uint64_t last = end / block_bytes;
    if (first > last) return part(offset, end);  // within one block
    if (first * block_bytes > offset) part(offset, first * block_bytes);
    for (uint64_t b = first; b < last;) {
        const uint64_t row = b / blocks_per_row, k = b % blocks_per_row, left = last - b;
        const bool whole_rows = k == 0 && left >= blocks_per_row;
        const uint64_t rows = whole_rows ? left / blocks_per_row : 1;
        const uint64_t k_end = whole_rows ? blocks_per_row : std::min(blocks_per_row, k + left);
        rectangles(rectangle{row, row + rows, k, k_end}, b * block_bytes - offset);
        b += rows * (k_end - k);
    }
    if (end > last * block_bytes) part(last * block_bytes, end);
}

// Where the blocks of a rectangle lie in the caller's bytes.
template <class Tile> uint64_t position_in(const rectangle &r, uint64_t row, uint64_t k, uint64_t blocks_per_row) {
    return ((row - r.row_begin) * blocks_per_row + (k - r.k_begin)) * Tile::block_bytes;
}

template <class Tile> void set_range(const tiled_shape &shape, uint8_t *tiles, const uint8_t *data, uint64_t offset,
                                     uint64_t size) {
    const mapping<Tile> map(shape, tiles);
    const uint64_t per_row = map.blocks_per_row();
    split_range(
        Tile::block_bytes, per_row, offset, size,
        [&](uint64_t row, uint64_t k, uint64_t first, uint64_t count, uint64_t at) {
            for (uint64_t i = 0; i < count; ++i) *map.byte_of(row, k, first + i) = data[at + i];
        },
        [&](const rectangle &r, uint64_t at) {
            map.for_pieces(
                r, [&](uint64_t row, uint64_t n, uint64_t k, uint64_t count, uint8_t *quants, uint8_t *scales) {
                    scatter<Tile>(data + at + position_in<Tile>(r, row, k, per_row), count, n, quants, scales);
                });
        });
}

template <class Tile> void get_range(const tiled_shape &shape, uint8_t *tiles, uint8_t *data, uint64_t offset,
                                     uint64_t size) {
    const mapping<Tile> map(shape, tiles);
    const uint64_t per_row = map.blocks_per_row();
    split_range(
        Tile::block_bytes, per_row, offset, size,
        [&](uint64_t row, uint64_t k, uint64_t first, uint64_t count, uint64_t at) {
            for (uint64_t i = 0; i < count; ++i) data[at + i] = *map.byte_of(row, k, first + i);
        },
        [&](const rectangle &r, uint64_t at) {
            map.for_pieces(r, [&](uint64_t row, uint64_t n, uint64_t k, uint64_t count, const uint8_t *quants,
                                  const uint8_t *scales) {
                gather<Tile>(data + at + position_in<Tile>(r, row, k, per_row), count, n, quants, scales);
            });
        });
}

// Calls f with the tile type of `type`. REQUIRES: a type that has tiles.
template <class F> void with_tile(data_type type, F &&f) {
    switch (weight_format_of(type)->id) {
        case weight_type::q4_0: return f(q4_0_tile{});
        case weight_type::q8_0: return f(q8_0_tile{});
        case weight_type::f16:
        case weight_type::bf16:
        case weight_type::f32: return;
    }
}

}  // namespace

bool tiled_shape::supports(data_type type, uint64_t k) {
    const weight_format *format = weight_format_of(type);
    return format && format->tile_bytes != 0 && k % tile_k == 0;
}

uint64_t tiled_shape::row_bytes() const { return k / tile_k * block_bytes(type); }
uint64_t tiled_shape::ggml_bytes() const { return row_bytes() * rows * slices; }
tiled_view tiled_shape::view() const { return {row_bytes(), rows, slices}; }
uint64_t tiled_shape::tiled_bytes() const { return view().slice3_bytes(); }

void tiled_tensor::clear_padding() {
    const uint64_t used = shape_.rows % tile_rows;
    if (used == 0) return;
    // All of the last band: its real rows are written by set later, or were never anything else than undefined.
    const tiled_view view = shape_.view();
    for (uint64_t s = 0; s < shape_.slices; ++s)
        std::memset(tiles_ + view.band_offset(shape_.rows - 1, s, 0), 0, view.band_bytes());
}

void tiled_tensor::set(const void *data, uint64_t offset, uint64_t size) {
    if (size == 0) return;
    with_tile(shape_.type, [&]<class Tile>(Tile) {
        set_range<Tile>(shape_, tiles_, static_cast<const uint8_t *>(data), offset, size);
    });
}

void tiled_tensor::get(void *data, uint64_t offset, uint64_t size) const {
    if (size == 0) return;
    with_tile(shape_.type,
              [&]<class Tile>(Tile) { get_range<Tile>(shape_, tiles_, static_cast<uint8_t *>(data), offset, size); });
}

void tiled_tensor::fill(uint8_t value, uint64_t offset, uint64_t size) {
    uint8_t piece[4096];
    std::memset(piece, value, sizeof piece);
    for (uint64_t done = 0; done < size; done += sizeof piece)
        set(piece, offset + done, std::min<uint64_t>(sizeof piece, size - done));
}

}  // namespace hexane::formats
