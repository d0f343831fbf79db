// formats/weight_format.h -- all that is particular to a type of weights, in one row of a table.
//
// A new type is an enumerator, a row, and what the compiler then asks for: its switches over weight_type are exhaustive
// and have no default.
#pragma once

#include <stdint.h>

#include "abi/data_type.h"
#include "formats/q4_0.h"
#include "formats/q8_0.h"
#include "formats/tile.h"

namespace hexane::formats {

enum class weight_type : uint32_t { q4_0, q8_0, f16, bf16, f32 };

// The form in which a product wants the rows that meet the weights. That of quantised weights is one for all of them: int8
// quants, a scale and the sum of the quants per block.
enum class column_form : uint32_t { int8_blocks, f16, f32_parted, f32 };

// Rows that are not quantised are multiplied, and their sums added up, in segments of so many bytes: adding up the lanes of
// 32 rows takes as long as 100 .. 200 k.
inline constexpr uint32_t segment_bytes = 4096;

struct weight_format {
    weight_type id;
    data_type type;
    uint32_t block_log2;   // of the elements of a block: no division
    uint32_t block_bytes;  // in ggml's layout
    uint32_t tile_bytes;   // 0: has no tiles
    uint32_t k_unit;       // a part of a row begins at a multiple of it: a run of tiles, or a segment
    column_form columns;

    constexpr bool quantised() const { return columns == column_form::int8_blocks; }
    // Of `k` elements of a row. REQUIRES: whole blocks.
    constexpr uint64_t bytes(uint64_t k) const { return (k >> block_log2) * block_bytes; }
};

template <class Tile> constexpr weight_format tiled_format(weight_type id) {
    return {id, Tile::type, 5, Tile::block_bytes, Tile::bytes, run_k, column_form::int8_blocks};
}
constexpr weight_format plain_format(weight_type id, data_type type, column_form columns) {
    return {id, type, 0, block_bytes(type), 0, segment_bytes / block_bytes(type), columns};
}

inline constexpr weight_format weight_formats[] = {
    tiled_format<q4_0_tile>(weight_type::q4_0),
    tiled_format<q8_0_tile>(weight_type::q8_0),
    plain_format(weight_type::f16, data_type::f16, column_form::f16),
    plain_format(weight_type::bf16, data_type::bf16, column_form::f32_parted),
    plain_format(weight_type::f32, data_type::f32, column_form::f32),
};

constexpr bool weight_formats_are_consistent() {
    uint32_t i = 0;
    for (const weight_format &f : weight_formats) {
        if (f.id != static_cast<weight_type>(i++)) return false;
        if (1u << f.block_log2 != block_elements(f.type) || f.block_bytes != block_bytes(f.type)) return false;
    }
    return true;
}
static_assert(weight_formats_are_consistent(), "rows in the order of weight_type, blocks as on the wire");

// The row of a type; null if no weights are of it.
constexpr const weight_format *weight_format_of(data_type type) {
    for (const weight_format &f : weight_formats) {
        if (f.type == type) return &f;
    }
    return nullptr;
}

}  // namespace hexane::formats
