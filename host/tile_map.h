// host/tile_map.h -- which tensors of a buffer lie in tiles.
//
// ggml speaks of bytes in its own block layout; a tile is a permutation of the bits of its blocks (formats/tile.h), so
// any range can be written and read. The layout of a tensor is decided once, at its first write, and recorded here by
// its place in the buffer.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <optional>
#include <shared_mutex>

#include "formats/tiled_tensor.h"

struct ggml_tensor;

namespace hexane::host {

// The tiles' shape of a tensor, if its type and shape can be tiled: a quantised type with a tile format, at least two
// rows, ggml's dense layout, not a view.
std::optional<formats::tiled_shape> tileable(const ggml_tensor &t);

// A tensor whose layout is decided. `offset` counts from the start of the buffer.
struct decided_region {
    uint64_t offset;
    formats::tiled_shape shape;
    bool tiled;
};

// find() may be called by any thread at any time, the rest with the device locked.
class tile_map {
  public:
    bool any_tiled() const { return n_tiled_.load(std::memory_order_acquire) != 0; }

    // The tiled region that holds the byte at `offset`.
    std::optional<decided_region> find(uint64_t offset) const;
    // Whether the layout of the tensor that begins at `offset` is decided.
    bool is_decided(uint64_t offset) const;

    // Records a decision and drops older ones that it overlaps.
    void decide(const decided_region &region);
    // A tensor takes this place: what was decided there belongs to a former one, unless it is the very same.
    void place(uint64_t offset, uint64_t bytes, const std::optional<formats::tiled_shape> &shape);
    void clear();

  private:
    void erase_overlapping(uint64_t offset, uint64_t bytes);
    void count();

    mutable std::shared_mutex mutex_;
    std::map<uint64_t, decided_region> regions_;
    std::atomic<size_t> n_tiled_{0};
};

// Where a view of a tiled tensor begins, in bytes from the start of the buffer; none when the view is not made of whole
// bands of tiles. `offset` is the place of its first byte if the buffer were in block layout.
std::optional<uint64_t> tiled_view_offset(const decided_region &region, const ggml_tensor &view, uint64_t offset);

// Bytes that an operand of this shape takes in tiles.
uint64_t tiled_extent_bytes(const ggml_tensor &t);

// Turns tiles at `base` into ggml's block layout, in place.
void untile(const formats::tiled_shape &shape, uint8_t *base);

}  // namespace hexane::host
