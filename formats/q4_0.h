// formats/q4_0.h -- 4-bit weights: x[k] = d * (q[k] - 8), 32 elements per block.
#pragma once

#include <stdint.h>

#include "abi/data_type.h"
#include "formats/tile.h"

namespace hexane::formats {

// As ggml stores it: low nibbles of qs are k = 0..15, high nibbles k = 16..31.
struct q4_0_block {
    uint16_t d;  // f16
    uint8_t qs[tile_k / 2];
};
static_assert(sizeof(q4_0_block) == block_bytes(data_type::q4_0));

// Byte b of row n in vector i: low nibble is k = 4i + b, high nibble k = 16 + 4i + b.
struct q4_0_tile : tile_parts<sizeof(q4_0_block::qs)> {
    static constexpr data_type type = data_type::q4_0;
    static constexpr int32_t offset = 8;  // what an unsigned quant is too large by
};
static_assert(q4_0_tile::vectors == 4);

}  // namespace hexane::formats
