// formats/tiled_tensor.h -- host side: a tensor that lies in tiles, seen as the byte stream that ggml knows.
//
// set and get take any byte range of ggml's layout, in any order; since a tile is a permutation of the bits of its
// blocks, get returns exactly what set was given.
#pragma once

#include <cstdint>

#include "abi/data_type.h"
#include "formats/tile.h"

namespace hexane::formats {

// Extents of a weight tensor: k = ne0, rows = ne1, slices = ne2 * ne3.
struct tiled_shape {
    data_type type;
    uint64_t k;
    uint64_t rows;
    uint64_t slices;

    // Whether tensors of this type and row length can be tiled.
    static bool supports(data_type type, uint64_t k);
    uint64_t row_bytes() const;    // of one row in ggml's layout
    uint64_t ggml_bytes() const;   // of the whole byte stream
    tiled_view view() const;       // its slices are numbered through
    uint64_t tiled_bytes() const;  // what the tensor needs in memory, row padding included
};

// A view of tiles in memory that the caller owns. REQUIRES: supports(shape.type, shape.k); tiled_bytes() bytes at
// `tiles`. Different threads may work on disjoint ranges that share no block.
class tiled_tensor {
  public:
    tiled_tensor(const tiled_shape &shape, void *tiles) : shape_(shape), tiles_(static_cast<uint8_t *>(tiles)) {}

    // Writes zeros to the padding rows of every slice. Call once, before the first set.
    void clear_padding();
    // Bytes [offset, offset + size) of ggml's layout. REQUIRES: offset + size <= shape.ggml_bytes().
    void set(const void *data, uint64_t offset, uint64_t size);
    void get(void *data, uint64_t offset, uint64_t size) const;
    // Every byte of the range becomes `value`.
    void fill(uint8_t value, uint64_t offset, uint64_t size);

    const tiled_shape &shape() const { return shape_; }

  private:
    tiled_shape shape_;
    uint8_t *tiles_;
};

}  // namespace hexane::formats
