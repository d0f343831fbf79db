// formats/q8_0.h -- 8-bit weights: x[k] = d * q[k], 32 elements per block.
#pragma once

#include <stdint.h>

#include "abi/data_type.h"
#include "formats/tile.h"

namespace hexane::formats {

// As ggml stores it.
struct q8_0_block {
    uint16_t d;  // f16
    int8_t qs[tile_k];
};
static_assert(sizeof(q8_0_block) == block_bytes(data_type::q8_0));

// Byte b of row n in vector i is k = 4i + b, signed.
struct q8_0_tile : tile_parts<sizeof(q8_0_block::qs)> {
    static constexpr data_type type = data_type::q8_0;
    // The dot-product instruction wants the weights unsigned: q xor 0x80 is q + 128.
    static constexpr int32_t offset = 128;
};
static_assert(q8_0_tile::vectors == 8);

}  // namespace hexane::formats
